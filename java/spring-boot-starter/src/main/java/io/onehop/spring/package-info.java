/**
 * OneHop for Spring Boot: a client from {@code onehop.config} and {@code onehop.pool}, and Spring
 * Data Redis over it. docs/spring.md shows what an application writes.
 */
package io.onehop.spring;
