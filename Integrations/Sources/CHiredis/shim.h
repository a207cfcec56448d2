// Debian's hiredis, with accessors for types that Swift cannot import.
#ifndef CATENA_HIREDIS_SHIM_H
#define CATENA_HIREDIS_SHIM_H

#include <hiredis.h>

/// The number of reply bytes that were received but not parsed.
static inline size_t catena_redis_pending(redisContext *context) { return context->reader->len; }

/// Parses the next received reply. Sets it to NULL if it is incomplete.
static inline int catena_redis_next_reply(redisContext *context, redisReply **reply) {
    return redisGetReplyFromReader(context, (void **)reply);
}

#endif
