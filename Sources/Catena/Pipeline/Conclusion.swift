// The end of a call, and the only place that knows what belongs to it.
extension Execution {
    /// How long the handlers have when the deadline, of which they are told, is over.
    private static let grace = Duration.seconds(1)

    /// Does the work of the call and ends it with what comes of that.
    func concluding<Value>(_ work: () async throws -> (product: Value, response: HTTPResponse)) async throws -> Value {
        do {
            let (product, response) = try await work()
            conclude(response)
            return product
        } catch {
            throw await conclude(error)
        }
    }

    /// Ends the call with a response.
    func conclude(_ response: HTTPResponse) {
        let end = log.noteEnd(isFailure: false)
        if end.isFirst { notifyObservers(.success(response.withoutReceivedPayload), of: end) }
    }

    /// Ends the call with an error, of which first the observers are told and then the handlers. Gives the error as it leaves the call.
    ///
    /// It may come after a response, when the body that was to follow does not. Whatever comes after an error changes nothing any more.
    func conclude(_ error: any Error) async -> any Error {
        let error = log.annotate(error, described)
        let end = log.noteEnd(isFailure: true)
        if end.isFirst { notifyObservers(.failure(error), of: end) }
        guard end.isFirstFailure else { return log.left ?? leaving(error) }
        let left = isInBackground ? error : await handled(error)
        log.note(left: left)
        return left
    }

    /// The error, after the handlers have seen it.
    private func handled(_ error: any Error) async -> any Error {
        guard !task.isCancelled, var error = leaving(error) as? APIError else { return CancellationError() }
        error.text = snapshot.settings.errorMessages?(error)
        let handlers = [profile.onError, snapshot.settings.errorHandler].compactMap { $0 }
        guard !handlers.isEmpty else { return error }
        let decision: Decision
        do {
            decision = try await self.decision(of: handlers, on: error)
        } catch is CancellationError {
            return CancellationError()
        } catch {
            // They have had their time.
            return error
        }
        if case .stop(let stopped) = decision { log.note(stopped: stopped) }
        return decision.error
    }

    private enum Decision: Sendable {
        case fail(APIError)
        case stop(APIError)
        /// Cancelling is what `stop` is for.
        case cancel

        var error: any Error { if case .fail(let error) = self { error } else { CancellationError() } }
    }

    /// A handler may wait for whatever it likes, but not longer than the call may take.
    private func decision(of handlers: [ErrorHandler], on error: APIError) async throws -> Decision {
        guard let deadline = settings.deadline else { return await ask(handlers, error) }
        let left = start + deadline - client.clock.now
        return try await withTimeLimit(left > .zero ? left : Self.grace, on: client.clock, error: error) { [self] in
            await ask(handlers, error)
        }
    }

    private func ask(_ handlers: [ErrorHandler], _ error: APIError) async -> Decision {
        var error = error
        let request = request.known(as: summary)
        for handler in handlers {
            switch await handler(error, request) {
            case .proceed: break
            case .cancelSilently: return .stop(error)
            case .replace(let other):
                guard other.kind != .cancelled else { return .cancel }
                error = other
                error.text = snapshot.settings.errorMessages?(other) ?? other.text
            }
        }
        return .fail(error)
    }

    /// Whether the call was cancelled, by the task in which it runs or from outside.
    var isCancelled: Bool { Task.isCancelled || task.isCancelled }

    func throwIfCancelled() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Whether anybody is asked how a call goes on that has failed.
    var hasErrorHandler: Bool { profile.onError != nil || snapshot.settings.errorHandler != nil }

    /// The error as it leaves a call: an ``APIError``, or a `CancellationError`, however a transport spells it.
    func leaving(_ error: any Error) -> any Error {
        let error = APIError.wrapping(error)
        guard error.kind == .cancelled else { return error }
        // Cancelled by whom? Only the call's own cancellation is none of a failure.
        return isCancelled ? CancellationError() : APIError(.other, message: error.message, underlying: error.underlying ?? error)
    }
}
