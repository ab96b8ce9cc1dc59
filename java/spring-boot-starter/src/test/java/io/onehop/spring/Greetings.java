package io.onehop.spring;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** What docs/spring.md shows of an application. */
@Component
class Greetings {
    private final StringRedisTemplate template;

    Greetings(StringRedisTemplate template) {
        this.template = template;
    }

    String greet(String name) {
        template.opsForValue().setIfAbsent("greeting:" + name, "Hello " + name);
        return template.opsForValue().get("greeting:" + name);
    }
}
