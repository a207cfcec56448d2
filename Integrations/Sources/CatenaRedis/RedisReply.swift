#if os(Linux)
import CHiredis
import Foundation

/// A reply of the server.
enum RedisReply: Sendable, Equatable {
    case nothing
    case number(Int64)
    case data(Data)
    case text(String)
    case array([RedisReply])
    case error(String)

    /// Copies a reply of hiredis.
    init(_ reply: redisReply) {
        let bytes = reply.str.map { Data(bytes: $0, count: Int(reply.len)) } ?? Data()
        switch reply.type {
        case REDIS_REPLY_STRING: self = .data(bytes)
        case REDIS_REPLY_STATUS: self = .text(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_INTEGER: self = .number(reply.integer)
        case REDIS_REPLY_ARRAY:
            self = .array((0..<Int(reply.elements)).map { reply.element?[$0].map { RedisReply($0.pointee) } ?? .nothing })
        default: self = .nothing
        }
    }

    /// The stored value, or `nil` if the reply is of another type.
    var data: Data? { if case .data(let data) = self { data } else { nil } }

    /// The number in a value, which Redis stores as text.
    var number: Int64? { data.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
}
#endif
