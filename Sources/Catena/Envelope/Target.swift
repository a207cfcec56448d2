import Foundation

/// What a call is to give: how the value comes out of an answer.
struct Target<Value: Sendable>: Sendable {
    /// Whether the body need not be JSON.
    let acceptsAnyBody: Bool
    let value: @Sendable (Reading, JSONDecoder) throws -> Value
}

extension Target where Value == JSON {
    /// The payload as a dynamic value; an envelope without a payload is given whole.
    static var json: Target<JSON> {
        Target(acceptsAnyBody: false) { reading, _ in
            if reading.payload == .empty { throw reading.missingPayload(JSON.self) }
            let bytes = reading.payloadBytes ?? reading.response.body
            do throws(JSONSyntaxError) {
                return try JSON(parsing: [UInt8](bytes))
            } catch {
                throw reading.failure(.decoding, "The answer is \(error).", underlying: error)
            }
        }
    }
}

extension Target where Value == Data {
    /// The whole body, whatever it is.
    static var data: Target<Data> {
        Target(acceptsAnyBody: true) { reading, _ in reading.response.body }
    }
}

extension Target where Value == String {
    /// The whole body as text.
    static var string: Target<String> {
        Target(acceptsAnyBody: true) { reading, _ in String(decoding: reading.response.body, as: UTF8.self) }
    }
}

extension Target where Value == Void {
    /// Nothing but that the call succeeded.
    static var void: Target<Void> {
        Target(acceptsAnyBody: true) { _, _ in }
    }
}

extension Target where Value: Decodable {
    /// The payload, decoded from its own bytes.
    static func decodable(_ type: Value.Type) -> Target<Value> {
        if let json = Target<JSON>.json as? Target<Value> { return json }
        return Target(acceptsAnyBody: false) { reading, decoder in
            guard let bytes = reading.payloadBytes else {
                if let none = (Value.self as? any OptionalTarget.Type)?.none as? Value { return none }
                throw reading.missingPayload(type)
            }
            do {
                return try decoder.decode(type, from: bytes)
            } catch let error as DecodingError {
                throw reading.failure(.decoding, reading.explain(error, type: type, bytes: bytes), underlying: error)
            } catch {
                throw reading.failure(.decoding, "Cannot decode \(type): \(error)", underlying: error)
            }
        }
    }
}

/// An optional, for which an answer without a payload is a value.
private protocol OptionalTarget {
    static var none: Self { get }
}

extension Optional: OptionalTarget {}

extension Reading {
    /// The payload's own bytes; `nil` if there is no payload.
    var payloadBytes: Data? {
        let body = response.body
        switch payload {
        case .body: return body
        case .range(let range): return body[(body.startIndex + range.lowerBound)..<(body.startIndex + range.upperBound)]
        case .missing, .empty: return nil
        }
    }

    func failure(_ kind: APIError.Kind, _ message: String, underlying: (any Error)? = nil) -> APIError {
        var error = APIError(kind, message: message, underlying: underlying)
        error.attach(response)
        return error
    }

    func missingPayload(_ type: Any.Type) -> APIError {
        let what = payload == .empty ? "The answer is empty" : "The answer has no payload"
        return failure(.missingPayload, "\(what), but the call needs \(type).")
    }

    /// Type, key path, reason and the first bytes.
    fileprivate func explain(_ error: DecodingError, type: Any.Type, bytes: Data) -> String {
        let (path, reason) = error.explanation
        let place = path.isEmpty ? "" : " at \"\(path)\""
        let start = String(decoding: bytes.prefix(80), as: UTF8.self).map { $0.isNewline ? " " : $0 }
        return "Cannot decode \(type)\(place): \(reason) The payload begins: \(String(start))"
    }
}

extension DecodingError {
    /// The key path and the reason.
    fileprivate var explanation: (path: String, reason: String) {
        switch self {
        case .keyNotFound(let key, let context):
            (Self.path(context.codingPath + [key]), "there is no such key.")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (Self.path(context.codingPath), context.debugDescription)
        @unknown default:
            ("", String(describing: self))
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }
}
