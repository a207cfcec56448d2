// Steps that set the places of an envelope's parts. A step whose name begins with `add` adds places; others replace them.
extension Envelope {
    // MARK: The code

    /// Sets the places of the code, in place of the commonly used codes, flags and words. A response with a code there is an envelope.
    ///
    /// Places of other steps, such as ``flag(_:)``, count before this step and after it.
    public func codes(_ places: String...) -> Envelope {
        changed { $0.codes.set = places }
    }

    /// Adds places of the code, to be tried after the present ones.
    ///
    /// ```swift
    /// .standard.addCodes("status", guarded: true)
    /// ```
    ///
    /// - Parameters:
    ///   - places: The places, in the order in which they are tried.
    ///   - guarded: Whether the key is also common in payloads. Like `code`, it then counts only beside a message, as a number beside a payload, or
    ///     in an object that has only envelope keys.
    public func addCodes(_ places: String..., guarded: Bool = false) -> Envelope {
        changed {
            $0.codes.added += places
            if guarded { $0.guarded.formUnion(places) }
        }
    }

    // MARK: Success and failure

    /// Sets the places of a flag for success: `true`, `false` or a number, also as strings, or a word such as `ok` or `failed`. From 1 on, a number
    /// means success. The flag overrides the code.
    ///
    /// ```swift
    /// .standard.flag("isOK")       // {"isOK": false, "msg": "m"}
    /// ```
    public func flag(_ places: String...) -> Envelope {
        changed { $0.flags.set = places }
    }

    /// Adds places of a flag, to be tried after the present ones.
    public func addFlags(_ places: String...) -> Envelope {
        changed { $0.flags.added += places }
    }

    /// Sets places that have a value only if the call failed, such as `error` or `errors`. `null`, `false`, 0 and empty values do not count.
    public func failure(_ places: String...) -> Envelope {
        changed { $0.failures.set = places }
    }

    /// Adds places that have a value only if the call failed.
    public func addFailure(_ places: String...) -> Envelope {
        changed { $0.failures.added += places }
    }

    // MARK: Message, payload and other values

    /// Sets the places of the message.
    public func message(_ places: String...) -> Envelope {
        changed { $0.messages.set = places }
    }

    /// Adds places of the message, to be tried after the present ones.
    public func addMessages(_ places: String...) -> Envelope {
        changed { $0.messages.added += places }
    }

    /// Sets the places of the payload. Without codes and flags, a response with a value there is an envelope.
    ///
    /// ```swift
    /// .envelope(.raw.data("items"))     // {"items": […]} without a code
    /// ```
    public func data(_ places: String...) -> Envelope {
        changed { $0.payloads.set = places }
    }

    /// Adds places of the payload, to be tried after the present ones.
    public func addData(_ places: String...) -> Envelope {
        changed { $0.payloads.added += places }
    }

    /// Sets the places of the id of the call in the backend's logs, for ``Response/traceID`` and ``APIError/traceID``.
    public func traceID(_ places: String...) -> Envelope {
        changed { $0.traceIDs = places }
    }

    /// Sets the places of further values, for ``Response/extras``.
    public func extras(_ places: String...) -> Envelope {
        changed { $0.extras = places }
    }
}

// Meanings of codes.
extension Envelope {
    /// Sets the codes that mean success, in place of the usual ones. A number also matches a string that spells it; see ``lenientNumbers(_:)``.
    public func success(_ codes: ErrorCode...) -> Envelope {
        changed { $0.successes.set = codes }
    }

    /// Adds codes that mean success.
    ///
    /// ```swift
    /// .standard.addSuccess(20000, "S")
    /// ```
    public func addSuccess(_ codes: ErrorCode...) -> Envelope {
        changed { $0.successes.added += codes }
    }

    /// Sets additional HTTP statuses that mean success. Such responses are read like those with a 2xx status.
    ///
    /// ```swift
    /// .standard.success(status: 304, 404)
    /// ```
    public func success(status: Int, _ others: Int...) -> Envelope {
        changed { $0.statuses = Set([status] + others) }
    }

    /// Sets a closure that returns `true` for additional codes that mean success.
    ///
    /// ```swift
    /// .standard.success { code in (0..<100).contains(code.integer ?? -1) }
    /// ```
    public func success(where isSuccess: @escaping @Sendable (ErrorCode) -> Bool) -> Envelope {
        changed { $0.isSuccess = isSuccess }
    }

    /// Sets messages that mean success regardless of the code, for backends with unusual codes.
    ///
    /// ```swift
    /// .standard.success(whereMessageIs: "ok", "success")     // {"code": 10000, "msg": "success"}
    /// ```
    ///
    /// The whole message is compared by its letters and digits, ignoring case. A response with an error status stays a failure.
    public func success(whereMessageIs message: String, _ others: String...) -> Envelope {
        changed { $0.successMessages = Set(([message] + others).map(\.comparedAsKey)) }
    }

    /// Sets whether a numeric code equals a string that spells it, for success and for the categories of errors.
    ///
    /// By default it does if the string is the JSON form of the number. `"00"` and `false` never equal 0.
    public func lenientNumbers(_ isLenient: Bool = true) -> Envelope {
        changed { $0.areNumbersLenient = isLenient }
    }

    // MARK: Categories of errors

    /// Sets the codes or HTTP statuses that require the user to sign in. They trigger a refresh of the tag's credential, as a 401 does.
    public func authentication(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .authentication)
    }

    /// Sets the codes or HTTP statuses after which the call is retried, within the limits of its ``RetryPolicy``.
    ///
    /// ```swift
    /// .standard.retryable("BUSY", after: .seconds(2)).retryDelay("data.retry_after")
    /// ```
    ///
    /// - Parameters:
    ///   - codes: The codes or HTTP statuses.
    ///   - delay: The minimum wait. A wait in the response at ``retryDelay(_:)`` replaces it.
    public func retryable(_ codes: ErrorCode..., after delay: Duration? = nil) -> Envelope {
        classify(codes, .retryable, after: delay)
    }

    /// Sets the places of the wait before the next attempt: a number of seconds, or a string such as `"1.5s"`.
    public func retryDelay(_ places: String...) -> Envelope {
        changed { $0.delays = places }
    }

    /// Sets the codes or HTTP statuses that mean invalid params. Such a call is not retried, whatever its status.
    public func validation(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .validation)
    }

    /// Sets the codes or HTTP statuses that mean that the backend is temporarily unavailable. Such a call is not retried, and counts as a failure for
    /// a ``CircuitBreakerPolicy``.
    public func maintenance(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .maintenance)
    }

    private func classify(_ codes: [ErrorCode], _ category: APIError.Category, after delay: Duration? = nil) -> Envelope {
        changed { $0.classify(codes, category, after: delay) }
    }
}
