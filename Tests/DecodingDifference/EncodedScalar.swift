import Foundation

/// A value without parts, which each kind of container encodes by a requirement for its type.
enum EncodedScalar: Sendable {
    case null
    case bool(Bool)
    case string(String)
    case double(Double)
    case float(Float)
    case int(Int)
    case int8(Int8)
    case int16(Int16)
    case int32(Int32)
    case int64(Int64)
    case uint(UInt)
    case uint8(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case uint64(UInt64)
    /// Integers of 128 bits, by their halves, because the types are not on every platform.
    case wide(Int64, UInt64)
    case unsignedWide(UInt64, UInt64)

    func encode(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .int8(let value): try container.encode(value)
        case .int16(let value): try container.encode(value)
        case .int32(let value): try container.encode(value)
        case .int64(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .uint8(let value): try container.encode(value)
        case .uint16(let value): try container.encode(value)
        case .uint32(let value): try container.encode(value)
        case .uint64(let value): try container.encode(value)
        case .wide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil() }
            try container.encode(Int128(high) << 64 | Int128(low))
        case .unsignedWide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil() }
            try container.encode(UInt128(high) << 64 | UInt128(low))
        }
    }

    func encode(to container: inout any UnkeyedEncodingContainer) throws {
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .int8(let value): try container.encode(value)
        case .int16(let value): try container.encode(value)
        case .int32(let value): try container.encode(value)
        case .int64(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .uint8(let value): try container.encode(value)
        case .uint16(let value): try container.encode(value)
        case .uint32(let value): try container.encode(value)
        case .uint64(let value): try container.encode(value)
        case .wide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil() }
            try container.encode(Int128(high) << 64 | Int128(low))
        case .unsignedWide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil() }
            try container.encode(UInt128(high) << 64 | UInt128(low))
        }
    }

    func encode(to container: inout KeyedEncodingContainer<ShapeKey>, forKey key: ShapeKey) throws {
        switch self {
        case .null: try container.encodeNil(forKey: key)
        case .bool(let value): try container.encode(value, forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .float(let value): try container.encode(value, forKey: key)
        case .int(let value): try container.encode(value, forKey: key)
        case .int8(let value): try container.encode(value, forKey: key)
        case .int16(let value): try container.encode(value, forKey: key)
        case .int32(let value): try container.encode(value, forKey: key)
        case .int64(let value): try container.encode(value, forKey: key)
        case .uint(let value): try container.encode(value, forKey: key)
        case .uint8(let value): try container.encode(value, forKey: key)
        case .uint16(let value): try container.encode(value, forKey: key)
        case .uint32(let value): try container.encode(value, forKey: key)
        case .uint64(let value): try container.encode(value, forKey: key)
        case .wide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil(forKey: key) }
            try container.encode(Int128(high) << 64 | Int128(low), forKey: key)
        case .unsignedWide(let high, let low):
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try container.encodeNil(forKey: key) }
            try container.encode(UInt128(high) << 64 | UInt128(low), forKey: key)
        }
    }

    /// Encodes the value as an optional one. Null is encoded as an optional without a value.
    func encodeIfPresent(to container: inout KeyedEncodingContainer<ShapeKey>, forKey key: ShapeKey) throws {
        switch self {
        case .null: try container.encodeIfPresent(Int?.none, forKey: key)
        case .bool(let value): try container.encodeIfPresent(value, forKey: key)
        case .string(let value): try container.encodeIfPresent(value, forKey: key)
        case .double(let value): try container.encodeIfPresent(value, forKey: key)
        case .float(let value): try container.encodeIfPresent(value, forKey: key)
        case .int(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint8(let value): try container.encodeIfPresent(value, forKey: key)
        case .int64(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint64(let value): try container.encodeIfPresent(value, forKey: key)
        default: try encode(to: &container, forKey: key)
        }
    }
}

extension EncodedScalar: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try encode(to: &container)
    }
}
