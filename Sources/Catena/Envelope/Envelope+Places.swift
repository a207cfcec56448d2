// Where things are in a response. A bare step replaces what was there before, one that begins with `add` adds to it.
extension Envelope {
    // MARK: The code

    /// Sets the places of the code. A response with a code there is an envelope; flags are then ignored, unless ``flag(_:)`` follows.
    public func codes(_ places: String...) -> Envelope {
        changed {
            $0.codes = places.map { EnvelopeRules.Code(place: $0, isGuarded: false) }
            $0.flags = []
            $0.disabled = $0.disabled.union(.allCodes.union(.flags).union(.init([.status])))
        }
    }

    /// Adds places of the code, which are tried after the others.
    ///
    /// ```swift
    /// .standard.addCodes("status", guarded: true)
    /// ```
    ///
    /// - Parameters:
    ///   - places: The places, in the order in which they are tried.
    ///   - guarded: Whether the key is also common in payloads, so that, like `code`, it counts only beside a message, as a number beside a
    ///     payload, or if the object has only keys of envelopes.
    public func addCodes(_ places: String..., guarded: Bool = false) -> Envelope {
        changed { $0.codes += places.map { EnvelopeRules.Code(place: $0, isGuarded: guarded) } }
    }

    // MARK: What says how the call went

    /// Sets the places of a flag that says whether the call succeeded: `true`, `false`, 1 or 0, also as text, or a word such as `ok` and
    /// `failed`. It overrides the code.
    ///
    /// ```swift
    /// .standard.flag("isOK")       // {"isOK": false, "msg": "m"}
    /// ```
    public func flag(_ places: String...) -> Envelope {
        changed {
            $0.flags = places
            $0.disabled = $0.disabled.union(.flags)
        }
    }

    /// Adds places of a flag, which are tried after the others.
    public func addFlags(_ places: String...) -> Envelope {
        changed { $0.flags += places }
    }

    /// Sets places that have a value only if the call failed, such as `error` or `errors`. `null`, `false`, 0 and what is empty do not
    /// count.
    public func failure(_ places: String...) -> Envelope {
        changed {
            $0.failures = places
            $0.disabled = $0.disabled.union(.errors)
        }
    }

    /// Adds places that have a value only if the call failed.
    public func addFailure(_ places: String...) -> Envelope {
        changed { $0.failures += places }
    }

    // MARK: What there is to read

    /// Sets the places of the message.
    public func message(_ places: String...) -> Envelope {
        changed {
            $0.messages = places
            $0.disabled = $0.disabled.union(.messages)
        }
    }

    /// Adds places of the message, which are tried after the others.
    public func addMessages(_ places: String...) -> Envelope {
        changed { $0.messages += places }
    }

    /// Sets the places of the payload. If there are neither codes nor flags, a response with a value there is an envelope.
    ///
    /// ```swift
    /// .envelope(.raw.data("items"))     // {"items": […]} without any code
    /// ```
    public func data(_ places: String...) -> Envelope {
        changed {
            $0.payloads = places
            $0.disabled = $0.disabled.union(.payloads)
        }
    }

    /// Adds places of the payload, which are tried after the others.
    public func addData(_ places: String...) -> Envelope {
        changed { $0.payloads += places }
    }

    /// Sets the places of the id by which the backend finds the call in its logs, for ``Response/traceID`` and ``APIError/traceID``.
    public func traceID(_ places: String...) -> Envelope {
        changed {
            $0.traceIDs = places
            $0.disabled = $0.disabled.union(.traceIDs)
        }
    }

    /// Sets places of other values that are kept beside the payload, for ``Response/extras``.
    public func extras(_ places: String...) -> Envelope {
        changed { $0.extras = places }
    }
}

// What codes mean.
extension Envelope {
    /// Sets the codes that mean success, in place of the others. A number also matches text that spells it; see ``lenientNumbers(_:)``.
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

    /// Sets further HTTP statuses that mean success. Such a response is read like one with a status of 2xx.
    ///
    /// ```swift
    /// .standard.success(status: 304, 404)
    /// ```
    public func success(status: Int, _ others: Int...) -> Envelope {
        changed { $0.statuses = Set([status] + others) }
    }

    /// Sets a closure that returns `true` for further codes that mean success.
    ///
    /// ```swift
    /// .standard.success { code in (0..<100).contains(code.integer ?? -1) }
    /// ```
    public func success(where isSuccess: @escaping @Sendable (ErrorCode) -> Bool) -> Envelope {
        changed { $0.isSuccess = isSuccess }
    }

    /// Sets messages that mean success, whatever the code is, for backends with codes of their own.
    ///
    /// ```swift
    /// .standard.success(whereMessageIs: "ok", "success")     // {"code": 10000, "msg": "success"}
    /// ```
    ///
    /// The whole message is compared, by its letters and digits in any case. An HTTP status that is no success stays a failure.
    public func success(whereMessageIs message: String, _ others: String...) -> Envelope {
        changed { $0.successMessages = Set(([message] + others).map(\.comparedAsKey)) }
    }

    /// Sets whether a code as a number equals the same code as text, for success and for the categories of errors.
    ///
    /// By default it does, if the text spells the number as JSON would; `"00"` and `false` never equal 0.
    public func lenientNumbers(_ isLenient: Bool = true) -> Envelope {
        changed { $0.areNumbersLenient = isLenient }
    }

    // MARK: Classes of errors

    /// Sets the codes or HTTP statuses that mean that the user has to sign in. They trigger a refresh of the tag's credential, as a 401
    /// does.
    public func authentication(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .authentication)
    }

    /// Sets the codes or HTTP statuses after which the call is retried, as far as its ``RetryPolicy`` allows.
    ///
    /// ```swift
    /// .standard.retryable("BUSY", after: .seconds(2)).retryDelay("data.retry_after")
    /// ```
    ///
    /// - Parameters:
    ///   - codes: The codes or HTTP statuses.
    ///   - delay: The shortest wait. The wait that the response asks for at ``retryDelay(_:)`` replaces it.
    public func retryable(_ codes: ErrorCode..., after delay: Duration? = nil) -> Envelope {
        classify(codes, .retryable, after: delay)
    }

    /// Sets the places of the wait before the next attempt: a number of seconds, or text such as `"1.5s"`.
    public func retryDelay(_ places: String...) -> Envelope {
        changed { $0.delays = places }
    }

    /// Sets the codes or HTTP statuses that mean that the params are not valid. Such a call is not retried, whatever its status is.
    public func validation(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .validation)
    }

    /// Sets the codes or HTTP statuses that mean that the backend is unavailable for a while. Such a call is not retried, and counts as a
    /// failure of the backend for a ``CircuitBreakerPolicy``.
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
