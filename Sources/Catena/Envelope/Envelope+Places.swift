// Where things are in a response. A bare step replaces what was there before, one that begins with `add` adds to it.
extension Envelope {
    // MARK: The code

    /// Sets where the code is. A response that has one there is an envelope, and no flag is asked beside it unless ``flag(_:)`` follows.
    public func codes(_ places: String...) -> Envelope {
        changed {
            $0.codes = places.map { EnvelopeRules.Code(place: $0, isGuarded: false) }
            $0.payloadCodes = []
            $0.errorNumbers = []
            $0.statusNumbers = []
            $0.flags = []
        }
    }

    /// Adds places of the code, to be looked at after the others.
    ///
    /// ```swift
    /// .standard.addCodes("status", guarded: true)
    /// ```
    ///
    /// - Parameters:
    ///   - places: Where the code may be, the first place to look at first.
    ///   - guarded: Whether the key is too often part of a model, so that it counts only in company, as `code` does: beside a message; as
    ///     a number beside a payload; or if there is nothing but an envelope's keys.
    public func addCodes(_ places: String..., guarded: Bool = false) -> Envelope {
        changed { $0.codes += places.map { EnvelopeRules.Code(place: $0, isGuarded: guarded) } }
    }

    // MARK: What says how the call went

    /// Sets where a flag says whether the call succeeded: `true`, `false`, 1 or 0, as text too. It decides, whatever the code says.
    ///
    /// ```swift
    /// .standard.flag("isOK")       // {"isOK": false, "msg": "m"}
    /// ```
    public func flag(_ places: String...) -> Envelope {
        changed { $0.flags = places.map { EnvelopeRules.Flag(place: $0, reading: .any) } }
    }

    /// Adds places of a flag, to be looked at after the others.
    public func addFlags(_ places: String...) -> Envelope {
        changed { $0.flags += places.map { EnvelopeRules.Flag(place: $0, reading: .any) } }
    }

    /// Sets places at which there is something only if the call failed: `error`, `errors`. What is `null`, `false`, 0 or empty is
    /// nothing.
    public func failure(_ places: String...) -> Envelope {
        changed {
            $0.failures = places
            $0.guessesFailures = false
        }
    }

    /// Adds places at which there is something only if the call failed.
    public func addFailure(_ places: String...) -> Envelope {
        changed { $0.failures += places }
    }

    // MARK: What there is to read

    /// Sets where the message is.
    public func message(_ places: String...) -> Envelope {
        changed { $0.messages = places }
    }

    /// Adds places of the message, to be looked at after the others.
    public func addMessages(_ places: String...) -> Envelope {
        changed { $0.messages += places }
    }

    /// Sets where the payload is. In an envelope that has neither codes nor flags, a response that has something there is an envelope.
    ///
    /// ```swift
    /// .envelope(.raw.data("items"))     // {"items": […]} without any code
    /// ```
    public func data(_ places: String...) -> Envelope {
        changed { $0.payloads = places.map { EnvelopeRules.Payload(place: $0, isGuarded: false) } }
    }

    /// Adds places of the payload, to be looked at after the others.
    public func addData(_ places: String...) -> Envelope {
        changed { $0.payloads += places.map { EnvelopeRules.Payload(place: $0, isGuarded: false) } }
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

// What codes mean.
extension Envelope {
    /// Sets the codes that mean success, in place of those that did. A number is the same code where a backend sends it as text.
    public func success(_ codes: ErrorCode...) -> Envelope {
        changed {
            $0.successes = Set(codes)
            $0.takesUsualSuccesses = false
            $0.isSuccess = nil
        }
    }

    /// Adds codes that mean success.
    ///
    /// ```swift
    /// .standard.addSuccess(20000, "S")
    /// ```
    public func addSuccess(_ codes: ErrorCode...) -> Envelope {
        changed { $0.successes.formUnion(codes) }
    }

    /// Sets HTTP statuses that are fine although they are not 2xx: what such a response has to say is read like that of any other.
    ///
    /// ```swift
    /// .standard.success(status: 304, 404)
    /// ```
    public func success(status: Int, _ others: Int...) -> Envelope {
        changed { $0.statuses = Set([status] + others) }
    }

    /// Lets a closure say of other codes too whether they mean success.
    ///
    /// ```swift
    /// .standard.success { code in (0..<100).contains(code.integer ?? -1) }
    /// ```
    public func success(where isSuccess: @escaping @Sendable (ErrorCode) -> Bool) -> Envelope {
        changed { $0.isSuccess = isSuccess }
    }

    /// Sets whether a code is the same as a number and as text that spells it as JSON would, for what means success and for the classes of
    /// errors. It is, unless this says otherwise; `"00"` and `false` are never 0.
    public func lenientNumbers(_ isLenient: Bool = true) -> Envelope {
        changed { $0.areNumbersLenient = isLenient }
    }

    // MARK: Classes of errors

    /// Sets the codes, or HTTP statuses, that mean that the caller has to sign in. They make the sign-in of the call's tag refresh its
    /// credential, as a 401 does.
    public func authentication(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .authentication)
    }

    /// Sets the codes, or HTTP statuses, after which another attempt may help, as far as the call's ``RetryPolicy`` allows any.
    ///
    /// ```swift
    /// .standard.retryable("BUSY", after: .seconds(2)).retryDelay("data.retry_after")
    /// ```
    ///
    /// - Parameters:
    ///   - codes: The codes or HTTP statuses.
    ///   - delay: How long to wait at least. What the response says at ``retryDelay(_:)`` counts more.
    public func retryable(_ codes: ErrorCode..., after delay: Duration? = nil) -> Envelope {
        classify(codes, .retryable, after: delay)
    }

    /// Sets where a response says how long to wait before the next attempt: a number of seconds, or text such as `"1.5s"`.
    public func retryDelay(_ places: String...) -> Envelope {
        changed { $0.delays = places }
    }

    /// Sets the codes, or HTTP statuses, that mean that the params are not valid. Such a call is not tried again, whatever the
    /// ``RetryPolicy`` says of its status.
    public func validation(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .validation)
    }

    /// Sets the codes, or HTTP statuses, that mean that the backend is closed for a while. Such a call is not tried again, and
    /// counts as a failure of the backend for a ``CircuitBreakerPolicy``.
    public func maintenance(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .maintenance)
    }

    private func classify(_ codes: [ErrorCode], _ category: APIError.Category, after delay: Duration? = nil) -> Envelope {
        changed { rules in
            rules.categories = rules.categories.filter { $0.value.category != category }
            for code in codes { rules.categories[code] = EnvelopeRules.Class(category: category, delay: delay) }
        }
    }
}
