public import Foundation

// What is done with responses that are not as they should be.
extension Envelope {
    /// What happens to a JSON response without a code.
    public enum MissingCode: Sendable, Hashable {
        /// It passes as it is.
        case passThrough
        /// The call fails.
        case fail
        /// It passes as it is if there is a value at all of these paths; else the call fails.
        case require([String])
    }

    /// What happens to an envelope without a payload.
    public enum MissingPayload: Sendable, Hashable {
        /// A call that needs a payload fails; one without a type gives the whole body.
        case fail
        /// The whole body is the payload, for backends that put their values beside the code.
        case body
        /// The payload is `null`.
        case null
    }

    /// Sets what happens to a JSON response without a code.
    public func missingCode(_ policy: MissingCode) -> Envelope {
        changed { $0.missingCode = policy }
    }

    /// Sets what happens to an envelope whose payload is absent or `null`.
    public func missingPayload(_ policy: MissingPayload) -> Envelope {
        changed { $0.missingPayload = policy }
    }

    /// Reads a payload `[]` as `{}` where the call needs an object. PHP writes empty objects like this.
    public func emptyArrayIsObject(_ isObject: Bool = true) -> Envelope {
        changed { $0.isEmptyArrayObject = isObject }
    }

    /// Reads a payload that is text as JSON, if it begins with a brace or a bracket.
    public func payloadInText(_ isInText: Bool = true) -> Envelope {
        changed { $0.isPayloadInText = isInText }
    }

    /// Changes each payload before it is decoded, for instance by decrypting it.
    ///
    /// ```swift
    /// .standard.transformPayload { sealed in try vault.open(sealed) }
    /// ```
    ///
    /// The closure receives the characters of a payload that is text, else its JSON, in UTF-8, and returns JSON. What it throws fails the
    /// call.
    public func transformPayload(_ transform: @escaping @Sendable (Data) throws -> Data) -> Envelope {
        changed { $0.transform = transform }
    }

    /// Reads a response with a payload as a success even if a place of ``failure(_:)`` has a value, as for partial results of GraphQL.
    public func allowPartialPayload(_ isAllowed: Bool = true) -> Envelope {
        changed { $0.allowsPartialPayload = isAllowed }
    }

    /// Restricts the envelope to responses of one media type, such as `"application/problem+json"`; each of them is an envelope.
    public func mediaType(_ type: String?) -> Envelope {
        changed { $0.mediaType = type?.lowercased() }
    }
}

extension Envelope {
    /// Removes members that are null from every payload before it is decoded, so that it fits types such as `[String: String]`.
    public func removingNulls(_ removes: Bool = true) -> Envelope {
        changed { $0.removesNulls = removes }
    }
}
