// Where things are in an answer.
extension Envelope {
    /// Sets where the code is. An answer that has one there is an envelope.
    public func codes(_ places: String...) -> Envelope {
        changed {
            $0.codes = places.map { EnvelopeRules.Code(place: $0, isGuarded: false) }
            $0.flags = []
        }
    }

    /// Adds places of the code, to be looked at after the others.
    ///
    /// ```swift
    /// .standard.addCodes("status", guarded: true)
    /// ```
    ///
    /// - Parameter guarded: Whether the key is too often part of a model, so that it makes an envelope only beside a message or a
    ///   payload, or alone.
    public func addCodes(_ places: String..., guarded: Bool = false) -> Envelope {
        changed { $0.codes += places.map { EnvelopeRules.Code(place: $0, isGuarded: guarded) } }
    }

    /// Sets where a boolean says whether the call succeeded.
    public func flag(_ places: String...) -> Envelope {
        changed { $0.flags = places }
    }

    /// Sets places at which there is something only if the call failed: `error`, `errors`. What is `null`, `false`, 0 or empty is
    /// nothing.
    public func failure(_ places: String...) -> Envelope {
        changed { $0.failures = places }
    }

    /// Sets where the message is.
    public func message(_ places: String...) -> Envelope {
        changed { $0.messages = places }
    }

    /// Sets where the payload is. In an envelope that has neither codes nor flags, an answer that has something there is an envelope.
    ///
    /// ```swift
    /// .envelope(.none.data("items"))     // {"items": […]} without any code
    /// ```
    public func data(_ places: String...) -> Envelope {
        changed { $0.payloads = places }
    }

    /// Sets where the id is by which the backend finds the call in its logs. ``Response/traceID`` and ``APIError/traceID`` have it.
    public func traceID(_ places: String...) -> Envelope {
        changed { $0.traceIDs = places }
    }

    /// Sets places of other values that are to be kept beside the payload, for ``Response/extras``.
    public func extras(_ places: String...) -> Envelope {
        changed { $0.extras = places }
    }
}
