import Foundation

/// A type that responses of one backend have in common: how it fails, and how a value comes out of a response.
///
/// What a family's responses share is written once, in an extension of a protocol of your own; a type adds the errors that only its
/// method has:
///
/// ```swift
/// struct WalletError: Error { let code: ErrorCode }
/// struct PaymentError: Error { let code: ErrorCode }
///
/// protocol WalletResponse: ResponseFamily {}
/// extension WalletResponse {
///     static func commonError(in reading: EnvelopeResult) -> (any Error)? {
///         reading.code == 1001 ? WalletError(code: 1001) : nil
///     }
/// }
///
/// struct Payment: WalletResponse, Decodable {
///     let id: String
///     static func specificError(in reading: EnvelopeResult) -> (any Error)? {
///         reading.code == 7001 ? PaymentError(code: 7001) : nil
///     }
/// }
///
/// API.tag(.wallet).post("/pay").execute(as: Payment.self)
///     .catch(as: PaymentError.self) { error in self.explain(error.code) }
/// ```
///
/// A response, also a successful one, is asked in this order: the common error, the specific error, what the envelope and the HTTP status
/// say, the value. Awaiting the value throws the family's error as it is; elsewhere it is the ``APIError/underlying`` of the call's
/// ``APIError``. The errors are looked for within each attempt, before it is decided whether there is another one.
public protocol ResponseFamily: Sendable {
    /// The error that any method of the backend can respond with; `nil` if the response is none.
    static func commonError(in reading: EnvelopeResult) -> (any Error)?

    /// The error that only this method responds with; `nil` if the response is none.
    static func specificError(in reading: EnvelopeResult) -> (any Error)?

    /// Makes the value of a successful response that is not JSON; a family of `Decodable` types has no need of it.
    static func value(in reading: EnvelopeResult) throws -> Self
}

extension ResponseFamily {
    public static func commonError(in reading: EnvelopeResult) -> (any Error)? { nil }

    public static func specificError(in reading: EnvelopeResult) -> (any Error)? { nil }

    static func error(in reading: EnvelopeResult) -> (any Error)? {
        commonError(in: reading) ?? specificError(in: reading)
    }
}

extension ResponseFamily where Self: Decodable {
    public static func value(in reading: EnvelopeResult) throws -> Self {
        try ResultDecoder<Self>.decodable(Self.self).value(reading, JSONDecoder())
    }
}

extension ResultDecoder where Value: ResponseFamily {
    /// The value that the family makes of the response, whatever its format.
    static func family(_ type: Value.Type) -> ResultDecoder<Value> {
        ResultDecoder(decoded: nil, family: type, making: type.value)
    }
}

/// Errors that only some calls know: those of a ``ResponseFamily``, and those of an ``Endpoint``.
struct CallErrorFinder: Sendable {
    /// The types that know them; calls that ask the same types may share a response.
    private(set) var types: [ObjectIdentifier]
    /// The error that a response stands for, if one of the types says so.
    private(set) var error: @Sendable (EnvelopeResult) -> (any Error)?

    init(types: [ObjectIdentifier], error: @escaping @Sendable (EnvelopeResult) -> (any Error)?) {
        self.types = types
        self.error = error
    }

    init(of family: any ResponseFamily.Type) {
        types = [ObjectIdentifier(family)]
        error = { family.error(in: $0) }
    }

    /// The errors of a family come before those that the call knows already.
    mutating func prepend(_ family: any ResponseFamily.Type) {
        guard !types.contains(ObjectIdentifier(family)) else { return }
        let former = error
        types.append(ObjectIdentifier(family))
        error = { family.error(in: $0) ?? former($0) }
    }
}
