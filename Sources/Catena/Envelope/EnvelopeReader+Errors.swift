import Foundation

// Adapters, and what is said of failures.

extension EnvelopeReader {
    func adapt(_ reading: Reading) -> Result<Reading, APIError>? {
        for rules in envelope.places.rules {
            guard let adapter = rules.rules.adapter else { continue }
            do {
                if let adapted = try adapter.read(reading.response) { return .success(adapted) }
            } catch {
                var failure = APIError.wrapping(error)
                if failure.status == nil { failure.attach(reading.response) }
                if failure.category == nil { classify(&failure, rules.rules, delay: nil) }
                return .failure(failure)
            }
        }
        return nil
    }

    /// The failure of an answer whose envelope says nothing of one.
    func failure(of reading: Reading) -> APIError {
        failure(of: reading, business: nil, envelope.places.rules.first?.rules, delay: nil)
    }

    func failure(of reading: Reading, _ rules: EnvelopeRules, delay: Duration?) -> APIError {
        failure(of: reading, business: reading.code.flatMap { rules.meansSuccess($0) ? nil : $0 }, rules, delay: delay)
    }

    private func failure(of reading: Reading, business: ErrorCode?, _ rules: EnvelopeRules?, delay: Duration?) -> APIError {
        let response = reading.response
        var error = APIError(
            response.isSuccess ? .business : .status,
            code: business ?? (response.isSuccess ? nil : .integer(response.status)),
            message: reading.message
        )
        error.attach(response)
        error.traceID = reading.traceID
        if let rules { classify(&error, rules, delay: delay) }
        return error
    }

    private func classify(_ error: inout APIError, _ rules: EnvelopeRules, delay: Duration?) {
        guard let found = rules.classification(of: error.code, status: error.status ?? 0) else { return }
        error.category = found.category
        if found.category == .retryable { error.retryAfter = delay ?? found.delay }
    }

    func retryDelay(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> Duration? {
        document.first(of: rules.delays) { span in
            let text = document.text(at: span)
            let seconds = Double(text.last == "s" ? String(text.dropLast()) : text)
            // A day is longer than any call.
            return seconds.flatMap { $0 >= 0 && $0 <= 86_400 ? .seconds($0) : nil }
        }?.value
    }

    /// An error of the caller's own types, with what is known of the answer around it.
    func familiar(_ own: any Error, beside failure: APIError) -> APIError {
        if var own = own as? APIError {
            if own.status == nil { own.status = failure.status }
            own.response = own.response ?? failure.response
            own.body = own.body ?? failure.body
            return own
        }
        var failure = failure
        if failure.kind == .decoding { failure.kind = .business }
        if failure.message.isEmpty { failure.message = APIError.wrapping(own).message }
        failure.underlying = own
        return failure
    }
}

extension APIError {
    /// Adds what is known from the answer.
    mutating func attach(_ response: HTTPResponse) {
        status = response.status
        origin = response.hasLeftOrigin ? "" : response.address.origin
        self.response = ResponseSummary(response)
        if underlying == nil { underlying = response.bodyFault }
        timings = response.timings
        // A copy, since a slice would keep the whole body in memory.
        body = Data(response.body.prefix(Self.bodyLimit))
    }
}
