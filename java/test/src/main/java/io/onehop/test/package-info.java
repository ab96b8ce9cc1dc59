/**
 * Real redis-servers for tests of programs that use OneHop: a ring, a Redis Cluster or masters with
 * Sentinels, started for a test class by JUnit. docs/testing.md shows tests that use them.
 */
package io.onehop.test;
