@_exported import DarwinOfApple
public import Foundation
@_exported public import FoundationNetworking

// Core Foundation types as aliases of Swift types, because casts between the two need the Objective-C runtime.
public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [AnyHashable: Any]
public final class CFError {}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// Metrics that tests can create, unlike those of Foundation on Linux. `.ci/apple` replaces the names of Foundation's types with these.
public final class AppleTaskMetrics {
    public let transactionMetrics: [AppleTaskTransactionMetrics]

    public init(_ transactions: [AppleTaskTransactionMetrics]) { transactionMetrics = transactions }
}

public struct AppleTaskTransactionMetrics {
    public var fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate, connectEndDate: Date?
    public var secureConnectionStartDate, secureConnectionEndDate, requestStartDate, responseStartDate, responseEndDate: Date?

    public init() {}
}

/// A decoder with the strategy `formatted`. Its `decode` uses a new `JSONDecoder` and ignores the strategies, which only Catena applies.
open class AppleJSONDecoder: @unchecked Sendable {
    public enum DateDecodingStrategy: Sendable {
        case deferredToDate
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case formatted(DateFormatter)
        case custom(@Sendable (_ decoder: any Decoder) throws -> Date)
    }
    public typealias DataDecodingStrategy = JSONDecoder.DataDecodingStrategy
    public typealias NonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy
    public typealias KeyDecodingStrategy = JSONDecoder.KeyDecodingStrategy

    open var dateDecodingStrategy = DateDecodingStrategy.deferredToDate
    open var dataDecodingStrategy = DataDecodingStrategy.base64
    open var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    open var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    open var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    open var allowsJSON5 = false
    open var assumesTopLevelDictionary = false

    public init() {}

    open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }
}

/// An encoder with the strategy `formatted`. Its `encode` uses a new `JSONEncoder` and ignores the strategies, which only Catena applies.
open class AppleJSONEncoder: @unchecked Sendable {
    public enum DateEncodingStrategy: Sendable {
        case deferredToDate
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case formatted(DateFormatter)
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }
    public typealias OutputFormatting = JSONEncoder.OutputFormatting
    public typealias DataEncodingStrategy = JSONEncoder.DataEncodingStrategy
    public typealias NonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy
    public typealias KeyEncodingStrategy = JSONEncoder.KeyEncodingStrategy

    open var outputFormatting: OutputFormatting = []
    open var dateEncodingStrategy = DateEncodingStrategy.deferredToDate
    open var dataEncodingStrategy = DataEncodingStrategy.base64
    open var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.throw
    open var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
    open var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    open func encode(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
}

extension NSData {
    public enum CompressionAlgorithm: Int { case lzfse, lz4, lzma, zlib }

    /// Throws, because no test here needs compressed bytes.
    public func compressed(using algorithm: CompressionAlgorithm) throws -> Self { throw CocoaError(.featureUnsupported) }
}
