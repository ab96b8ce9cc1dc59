/*
 * Which channels and patterns go to every node, against the vectors of spec/route.
 */
#include "core/command/notification.h"
#include "check.h"
#include "vectors.h"

void test_notifications(void)
{
    json_t *page = vectors_load("route/vectors/notifications.json");
    json_t *group;
    json_t *test;

    EACH_GROUP(page, group)
    {
        bool is_channel = vectors_string(group, "type")[0] == 'C';

        EACH_TEST(group, test)
        {
            const char *name = vectors_string(test, "name");
            oh_text text = {name, strlen(name)};

            test_begin("notification %u: %s", vectors_number(test, "tcId"),
                vectors_string(test, "comment"));
            CHECK((is_channel ? oh_notification_is_channel : oh_notification_may_match)(text) ==
                  json_is_true(json_object_get(test, "everywhere")));
        }
    }
    json_decref(page);
}
