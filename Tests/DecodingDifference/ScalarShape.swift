import Foundation

/// A type of values without parts, and its decoding. Each kind of container has separate requirements for such a type.
struct ScalarShape: Sendable, CustomStringConvertible {
    let name: String
    let single: @Sendable (any SingleValueDecodingContainer) throws -> String
    let keyed: @Sendable (KeyedDecodingContainer<ShapeKey>, ShapeKey) throws -> String
    let keyedOptional: @Sendable (KeyedDecodingContainer<ShapeKey>, ShapeKey) throws -> String?
    let unkeyed: @Sendable (inout any UnkeyedDecodingContainer) throws -> String
    let unkeyedOptional: @Sendable (inout any UnkeyedDecodingContainer) throws -> String?
}

extension ScalarShape {
    var description: String { name }

    private static let usual: [ScalarShape] = [
        ScalarShape(
            name: "Bool", single: { text(try $0.decode(Bool.self)) }, keyed: { text(try $0.decode(Bool.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Bool.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Bool.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Bool.self).map { text($0) } }),
        ScalarShape(
            name: "String", single: { text(try $0.decode(String.self)) }, keyed: { text(try $0.decode(String.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(String.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(String.self)) }, unkeyedOptional: { try $0.decodeIfPresent(String.self).map { text($0) } }),
        ScalarShape(
            name: "Double", single: { text(try $0.decode(Double.self)) }, keyed: { text(try $0.decode(Double.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Double.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Double.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Double.self).map { text($0) } }),
        ScalarShape(
            name: "Float", single: { text(try $0.decode(Float.self)) }, keyed: { text(try $0.decode(Float.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Float.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Float.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Float.self).map { text($0) } }),
        ScalarShape(
            name: "Int", single: { text(try $0.decode(Int.self)) }, keyed: { text(try $0.decode(Int.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int.self).map { text($0) } }),
        ScalarShape(
            name: "Int8", single: { text(try $0.decode(Int8.self)) }, keyed: { text(try $0.decode(Int8.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int8.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int8.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int8.self).map { text($0) } }),
        ScalarShape(
            name: "Int16", single: { text(try $0.decode(Int16.self)) }, keyed: { text(try $0.decode(Int16.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int16.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int16.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int16.self).map { text($0) } }),
        ScalarShape(
            name: "Int32", single: { text(try $0.decode(Int32.self)) }, keyed: { text(try $0.decode(Int32.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int32.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int32.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int32.self).map { text($0) } }),
        ScalarShape(
            name: "Int64", single: { text(try $0.decode(Int64.self)) }, keyed: { text(try $0.decode(Int64.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int64.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int64.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int64.self).map { text($0) } }),
        ScalarShape(
            name: "UInt", single: { text(try $0.decode(UInt.self)) }, keyed: { text(try $0.decode(UInt.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt.self).map { text($0) } }),
        ScalarShape(
            name: "UInt8", single: { text(try $0.decode(UInt8.self)) }, keyed: { text(try $0.decode(UInt8.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt8.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt8.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt8.self).map { text($0) } }),
        ScalarShape(
            name: "UInt16", single: { text(try $0.decode(UInt16.self)) }, keyed: { text(try $0.decode(UInt16.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt16.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt16.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt16.self).map { text($0) } }),
        ScalarShape(
            name: "UInt32", single: { text(try $0.decode(UInt32.self)) }, keyed: { text(try $0.decode(UInt32.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt32.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt32.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt32.self).map { text($0) } }),
        ScalarShape(
            name: "UInt64", single: { text(try $0.decode(UInt64.self)) }, keyed: { text(try $0.decode(UInt64.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt64.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt64.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt64.self).map { text($0) } }),
        ScalarShape(
            name: "Decimal", single: { text(try $0.decode(Decimal.self)) }, keyed: { text(try $0.decode(Decimal.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Decimal.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Decimal.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Decimal.self).map { text($0) } }),
        ScalarShape(
            name: "Date", single: { text(try $0.decode(Date.self)) }, keyed: { text(try $0.decode(Date.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Date.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Date.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Date.self).map { text($0) } }),
        ScalarShape(
            name: "URL", single: { text(try $0.decode(URL.self)) }, keyed: { text(try $0.decode(URL.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(URL.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(URL.self)) }, unkeyedOptional: { try $0.decodeIfPresent(URL.self).map { text($0) } }),
        ScalarShape(
            name: "Data", single: { text(try $0.decode(Data.self)) }, keyed: { text(try $0.decode(Data.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Data.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Data.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Data.self).map { text($0) } }),
        ScalarShape(
            name: "UUID", single: { text(try $0.decode(UUID.self)) }, keyed: { text(try $0.decode(UUID.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UUID.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UUID.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UUID.self).map { text($0) } }),
        ScalarShape(
            name: "Color", single: { text(try $0.decode(Color.self)) }, keyed: { text(try $0.decode(Color.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Color.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Color.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Color.self).map { text($0) } }),
    ]

    /// All types, including those of 128 bits if the platform has them.
    static let all: [ScalarShape] = {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return usual }
        return usual + wide
    }()

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private static let wide: [ScalarShape] = [
        ScalarShape(
            name: "Int128", single: { text(try $0.decode(Int128.self)) }, keyed: { text(try $0.decode(Int128.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(Int128.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(Int128.self)) }, unkeyedOptional: { try $0.decodeIfPresent(Int128.self).map { text($0) } }),
        ScalarShape(
            name: "UInt128", single: { text(try $0.decode(UInt128.self)) }, keyed: { text(try $0.decode(UInt128.self, forKey: $1)) },
            keyedOptional: { try $0.decodeIfPresent(UInt128.self, forKey: $1).map { text($0) } },
            unkeyed: { text(try $0.decode(UInt128.self)) }, unkeyedOptional: { try $0.decodeIfPresent(UInt128.self).map { text($0) } }),
    ]

    /// Returns a text that distinguishes a value from others of its type.
    private static func text(_ value: some Sendable) -> String {
        switch value {
        case let value as Double: value.isNaN ? "nan" : "\(value.bitPattern)"
        case let value as Float: value.isNaN ? "nan" : "\(value.bitPattern)"
        case let value as Date: "\(value.timeIntervalSinceReferenceDate.bitPattern)"
        case let value as Data: value.base64EncodedString()
        case let value as String: value.unicodeScalars.map { "\($0.value)" }.joined(separator: " ")
        default: "\(value)"
        }
    }

    enum Color: String, Decodable {
        case red, green
        case none = ""
    }
}

struct ShapeKey: CodingKey, Hashable {
    let stringValue: String
    let intValue: Int?

    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
