public import Foundation

// What is done with responses that are not as they should be.
extension Envelope {
    /// What becomes of a response without a code.
    public enum MissingCode: Sendable, Hashable {
        /// It is taken as it is.
        case passThrough
        /// The call fails.
        case fail
        /// It is taken as it is if there is something at all of these paths; else the call fails.
        case require([String])
    }

    /// What becomes of an envelope without a payload.
    public enum MissingPayload: Sendable, Hashable {
        /// A call that needs a payload fails; one without a type gives the whole body.
        case fail
        /// The whole body is the payload, for backends that put their values beside the code.
        case body
        /// The payload is `null`.
        case null
    }

    /// Sets what becomes of a JSON response without a code.
    public func missingCode(_ policy: MissingCode) -> Envelope {
        changed { $0.missingCode = policy }
    }

    /// Sets what becomes of an envelope whose payload is absent or `null`.
    public func missingPayload(_ policy: MissingPayload) -> Envelope {
        changed { $0.missingPayload = policy }
    }

    /// Takes a payload `[]` for `{}` where the call needs an object: PHP writes an empty object so.
    public func emptyArrayIsObject(_ isObject: Bool = true) -> Envelope {
        changed { $0.isEmptyArrayObject = isObject }
    }

    /// Takes a payload that is text for the JSON that it spells, if it begins with a brace or a bracket.
    public func payloadInText(_ isInText: Bool = true) -> Envelope {
        changed { $0.isPayloadInText = isInText }
    }

    /// Changes each payload before it is decoded, for instance by decrypting it.
    ///
    /// ```swift
    /// .standard.transformPayload { sealed in try vault.open(sealed) }
    /// ```
    ///
    /// The closure gets the characters of a payload that is text, else its JSON, in UTF-8, and gives JSON. What it throws rejects the
    /// call.
    public func transformPayload(_ transform: @escaping @Sendable (Data) throws -> Data) -> Envelope {
        changed { $0.transform = transform }
    }

    /// Takes a response for a success that has a payload beside what ``failure(_:)`` names, as GraphQL has it.
    public func allowPartialPayload(_ isAllowed: Bool = true) -> Envelope {
        changed { $0.allowsPartialPayload = isAllowed }
    }

    /// Looks only at responses of one media type, such as `"application/problem+json"`; each of those is an envelope.
    public func mediaType(_ type: String?) -> Envelope {
        changed { $0.mediaType = type?.lowercased() }
    }
}

extension Envelope {
    /// Takes members that are null out of every payload before it is decoded, so that `[String: String]` can take what is left.
    public func removingNulls(_ removes: Bool = true) -> Envelope {
        changed { $0.removesNulls = removes }
    }
}
