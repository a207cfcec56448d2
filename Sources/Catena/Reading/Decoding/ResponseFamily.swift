import CatenaPlatform

/// A type that defines the errors and the decoding shared by the responses of one backend.
///
/// Implement the shared part once, in an extension of your own protocol. Each type then adds the errors that only its method returns:
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
/// Every response, including a successful one, is checked in this order: common error, specific error, envelope and HTTP status, value. Awaiting
/// throws the family's error unwrapped; elsewhere it is the ``APIError/underlying`` error of the call's ``APIError``. Each attempt checks for the
/// errors before the decision to retry.
public protocol ResponseFamily: Sendable {
    /// Returns the error, common to all methods of the backend, that the response represents, or `nil` if there is none.
    static func commonError(in reading: EnvelopeResult) -> (any Error)?

    /// Returns the error, specific to this method, that the response represents, or `nil` if there is none.
    static func specificError(in reading: EnvelopeResult) -> (any Error)?

    /// Creates the value of a successful response that is not JSON. Families of `Decodable` types need not implement it.
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
        try ResultDecoder<Self>.decodable(Self.self).value(reading) { JSONDecoder() }
    }
}

extension ResultDecoder where Value: ResponseFamily {
    /// Creates a decoder that uses the family's own decoding, whatever the format of the response.
    static func family(_ type: Value.Type) -> ResultDecoder<Value> {
        ResultDecoder(decoded: nil, family: type, making: type.value)
    }
}

/// Finds errors that are defined by a ``ResponseFamily`` or an ``Endpoint``.
struct CallErrorFinder: Sendable {
    /// The types that define the errors. Calls with equal types may share a response.
    private(set) var types: [ObjectIdentifier]
    /// Returns the error that a response represents, or `nil` if there is none.
    private(set) var error: @Sendable (EnvelopeResult) -> (any Error)?

    init(types: [ObjectIdentifier], error: @escaping @Sendable (EnvelopeResult) -> (any Error)?) {
        self.types = types
        self.error = error
    }

    init(of family: any ResponseFamily.Type) {
        types = [ObjectIdentifier(family)]
        error = { family.error(in: $0) }
    }

    /// Puts the errors of a family before the present ones.
    mutating func prepend(_ family: any ResponseFamily.Type) {
        guard !types.contains(ObjectIdentifier(family)) else { return }
        let former = error
        types.append(ObjectIdentifier(family))
        error = { family.error(in: $0) ?? former($0) }
    }
}
