/** The rules of the circuit breaker and of latencies. Implements spec/health and spec/meter. */
package io.onehop.core.health;
