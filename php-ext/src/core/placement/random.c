/*
 * random: any node, whatever the key.
 *
 * A write and its read go to different nodes, so this distribution is only useful if every node has
 * the same data. It needs an even spread and speed, not secrecy: a counter per thread, mixed
 * (splitmix64).
 *
 * Implements spec/placement, random.
 */
#include "core/placement/placement.h"

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

uint32_t oh_random_draw(uint32_t count, uint32_t stir)
{
    static _Thread_local uint64_t state;
    if (state == 0) {
        /* Differs from process to process where addresses are randomised. */
        state = mix((uint64_t)(uintptr_t)&state);
    }
    state = state + 0x9e3779b97f4a7c15u + stir;
    return (uint32_t)((mix(state) >> 32) * count >> 32);
}
