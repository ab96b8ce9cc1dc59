package io.onehop.spring;

import org.springframework.boot.SpringApplication;

/** An application with an older Jedis than OneHop needs. */
final class OldJedisProgram {
    private OldJedisProgram() {}

    public static void main(String[] arguments) {
        SpringApplication.run(
                AutoConfigurationTest.Application.class,
                "--onehop.config=" + arguments[0],
                "--onehop.pool=alpha",
                "--logging.level.root=error",
                "--spring.main.web-application-type=none");
    }
}
