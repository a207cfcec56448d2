// Debian's hiredis, with the few lines in which Swift cannot read its types.
#ifndef CATENA_HIREDIS_SHIM_H
#define CATENA_HIREDIS_SHIM_H

#include <hiredis.h>

/// How many bytes of a reply have come that nobody has read yet.
static inline size_t catena_redis_pending(redisContext *context) { return context->reader->len; }

/// Gives the next reply of what has come; NULL if it is not whole yet.
static inline int catena_redis_next_reply(redisContext *context, redisReply **reply) {
    return redisGetReplyFromReader(context, (void **)reply);
}

#endif
