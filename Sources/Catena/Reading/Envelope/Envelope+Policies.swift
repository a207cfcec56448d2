public import CatenaPlatform

// Policies for irregular responses.
extension Envelope {
    /// The handling of a JSON response without a code.
    public enum MissingCode: Sendable, Hashable {
        /// Accept the response unchanged.
        case passThrough
        /// Fail the call, with an error of kind ``APIError/Kind/unrecognizedResponse``.
        case fail
        /// Take the response for a success, and read its payload as after a code of success.
        case succeed
        /// Accept the response unchanged if all of these paths have a value; otherwise fail the call.
        case require([String])
    }

    /// The handling of an envelope without a payload.
    public enum MissingPayload: Sendable, Hashable {
        /// Fail a call that needs a payload. A call without a type returns the whole body.
        case fail
        /// Use the whole body as the payload, for backends that put their values beside the code.
        case body
        /// Use `null` as the payload.
        case null
    }

    /// Sets the handling of a JSON response without a code.
    public func missingCode(_ policy: MissingCode) -> Envelope {
        changed { $0.missingCode = policy }
    }

    /// Sets the handling of an envelope whose payload is absent or `null`.
    public func missingPayload(_ policy: MissingPayload) -> Envelope {
        changed { $0.missingPayload = policy }
    }

    /// Decodes a payload `[]` as `{}` if the call needs an object, because PHP writes empty objects as `[]`.
    public func emptyArrayIsObject(_ isObject: Bool = true) -> Envelope {
        changed { $0.isEmptyArrayObject = isObject }
    }

    /// Parses a payload that is a string as JSON, if it begins with a brace or a bracket.
    public func payloadInText(_ isInText: Bool = true) -> Envelope {
        changed { $0.isPayloadInText = isInText }
    }

    /// Transforms each payload before decoding, for example by decrypting it.
    ///
    /// ```swift
    /// .standard.transformPayload { sealed in try vault.open(sealed) }
    /// ```
    ///
    /// The closure receives the characters of a string payload, or the JSON of any other payload, in UTF-8. It returns JSON. An error that it throws
    /// fails the call.
    public func transformPayload(_ transform: @escaping @Sendable (Data) throws -> Data) -> Envelope {
        changed { $0.transform = PayloadTransform(needsRequest: false) { payload, _ in try transform(payload) } }
    }

    /// Transforms each payload before decoding, for example by decrypting it with a key that the request names.
    ///
    /// ```swift
    /// .standard.transformPayload { sealed, request in try vault.open(sealed, with: request.headers["X-Key-ID"]) }
    /// ```
    ///
    /// The request is the one of the call's last attempt, as it was sent. For a response from a cache it is the request of the call that uses it. The
    /// payload is that of ``transformPayload(_:)-((Data)->Data)``. Of the two forms, the later one in the chain applies. Without a call, ``read(_:)`` fails.
    public func transformPayload(_ transform: @escaping @Sendable (_ payload: Data, _ request: HTTPRequest) throws -> Data) -> Envelope {
        changed {
            $0.transform = PayloadTransform(needsRequest: true) { payload, request in
                guard let request else { throw PayloadTransform.MissingRequest() }
                return try transform(payload, request)
            }
        }
    }

    /// Accepts a response with a payload even if a place of ``failure(_:)`` has a value, as in partial results of GraphQL.
    public func allowPartialPayload(_ isAllowed: Bool = true) -> Envelope {
        changed { $0.allowsPartialPayload = isAllowed }
    }

    /// Restricts the envelope to responses of one media type, such as `"application/problem+json"`. Each such response is an envelope.
    ///
    /// Parameters such as `charset` do not count. A response without a media type is `"application/json"`.
    public func mediaType(_ type: String?) -> Envelope {
        changed { $0.mediaType = MediaType(type)?.name }
    }

    /// Removes null members from every payload before decoding, so that it fits types such as `[String: String]`.
    public func removingNulls(_ removes: Bool = true) -> Envelope {
        changed { $0.removesNulls = removes }
    }
}
