import Foundation

/// A type that answers of one backend have in common: how it fails, and how a value comes out of an answer.
///
/// What a family's answers share is written once, in an extension of a protocol of your own; a type adds the errors that only its
/// method has:
///
/// ```swift
/// protocol WalletAnswer: ResponseFamily {}
/// extension WalletAnswer {
///     static func commonError(in reading: Reading) -> (any Error)? { WalletError(code: reading.code) }
/// }
///
/// struct Payment: WalletAnswer, Decodable {
///     let id: String
///     static func specificError(in reading: Reading) -> (any Error)? { PaymentError(code: reading.code) }
/// }
///
/// API.tag(.wallet).post("/pay").execute(as: Payment.self)
///     .catch(as: PaymentError.self) { error in self.explain(error) }
/// ```
///
/// An answer is asked in this order: the common error, the specific error, what the envelope and the HTTP status say, the value. An
/// error of the family arrives as the ``APIError/underlying`` of the call's ``APIError``. The errors are looked for within each
/// attempt, before it is decided whether there is another one.
public protocol ResponseFamily: Sendable {
    /// The error that any method of the backend can answer with; `nil` if the answer is none.
    static func commonError(in reading: Reading) -> (any Error)?

    /// The error that only this method answers with; `nil` if the answer is none.
    static func specificError(in reading: Reading) -> (any Error)?

    /// Makes the value of a successful answer that is not JSON; a family of `Decodable` types has no need of it.
    static func value(in reading: Reading) throws -> Self
}

extension ResponseFamily {
    public static func commonError(in reading: Reading) -> (any Error)? { nil }

    public static func specificError(in reading: Reading) -> (any Error)? { nil }

    static func error(in reading: Reading) -> (any Error)? {
        commonError(in: reading) ?? specificError(in: reading)
    }
}

extension ResponseFamily where Self: Decodable {
    public static func value(in reading: Reading) throws -> Self {
        try Target<Self>.decodable(Self.self).value(reading, JSONDecoder())
    }
}

extension Target where Value: ResponseFamily {
    /// The value that the family makes of the answer, whatever its format.
    static func family(_ type: Value.Type) -> Target<Value> {
        Target(decoded: nil, family: type, making: type.value)
    }
}

extension Request {
    /// Sends the request and promises the value that a family makes of the answer.
    public func execute<Value: ResponseFamily>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.family(type), file, line)
    }

    /// Sends the request and promises the payload, decoded, or the error that its family finds in the answer.
    public func execute<Value: ResponseFamily & Decodable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.decodable(type), file, line)
    }

    /// Sends the request and awaits the value that a family makes of the answer.
    public func value<Value: ResponseFamily>(as type: Value.Type) async throws -> Value {
        try await value(.family(type))
    }

    /// Sends the request and awaits the payload, decoded, or the error that its family finds in the answer.
    public func value<Value: ResponseFamily & Decodable>(as type: Value.Type) async throws -> Value {
        try await value(.decodable(type))
    }
}
