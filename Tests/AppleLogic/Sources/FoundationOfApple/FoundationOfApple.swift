@_exported import DarwinOfApple
public import Foundation
@_exported public import FoundationNetworking

// Casts between the types of Swift and of Core Foundation need the Objective-C runtime, so those of Core Foundation are other names of
// Swift's here.
public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [AnyHashable: Any]
public final class CFError {}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// What Foundation on Linux has the types of, and never makes. `.ci/apple` writes these names in place of the others.
public final class AppleTaskMetrics {
    public let transactionMetrics: [AppleTaskTransactionMetrics]

    public init(_ transactions: [AppleTaskTransactionMetrics]) { transactionMetrics = transactions }
}

public struct AppleTaskTransactionMetrics {
    public var fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate, connectEndDate: Date?
    public var secureConnectionStartDate, secureConnectionEndDate, requestStartDate, responseStartDate, responseEndDate: Date?

    public init() {}
}

/// A decoder with the case `formatted`. What it decodes itself, and not Catena by its strategies, it decodes with those of a new one.
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
