// What codes mean.
extension Envelope {
    /// Sets the codes that mean success. They are typed: `0` is the number, `"0"` the text.
    public func success(_ codes: ErrorCode...) -> Envelope {
        changed {
            $0.successes = Set(codes)
            $0.isSuccess = nil
        }
    }

    /// Lets a closure say of other codes too whether they mean success.
    ///
    /// ```swift
    /// .standard.success { code in (0..<100).contains(code.integer ?? -1) }
    /// ```
    public func success(where isSuccess: @escaping @Sendable (ErrorCode) -> Bool) -> Envelope {
        changed { $0.isSuccess = isSuccess }
    }

    /// Takes a code for the same whether it is a number or text that spells it as JSON would: `"0"` is 0, where `"00"` and `false`
    /// never are.
    public func lenientNumbers(_ isLenient: Bool = true) -> Envelope {
        changed { $0.areNumbersLenient = isLenient }
    }

    // MARK: Classes of errors

    /// Sets the codes, or HTTP statuses, that mean that the caller has to sign in.
    public func authentication(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .authentication)
    }

    /// Sets the codes, or HTTP statuses, after which another attempt may help, as far as the call's ``RetryPolicy`` allows any.
    ///
    /// ```swift
    /// .standard.retryable("BUSY", after: .seconds(2)).retryDelay("data.retry_after")
    /// ```
    ///
    /// - Parameter delay: How long to wait at least. What the answer says at ``retryDelay(_:)`` counts more.
    public func retryable(_ codes: ErrorCode..., after delay: Duration? = nil) -> Envelope {
        classify(codes, .retryable, after: delay)
    }

    /// Sets where an answer says how long to wait before the next attempt: a number of seconds, or text such as `"1.5s"`.
    public func retryDelay(_ places: String...) -> Envelope {
        changed { $0.delays = places }
    }

    /// Sets the codes, or HTTP statuses, that mean that the params are not valid.
    public func validation(_ codes: ErrorCode...) -> Envelope {
        classify(codes, .validation)
    }

    /// Sets the codes, or HTTP statuses, that mean that the backend is closed for a while.
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
