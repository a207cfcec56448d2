// The end of a call, which happens here only.
extension CallRun {
    /// The time that error handlers have after the deadline has passed, because they also handle the deadline's error.
    private static let grace = Duration.seconds(1)

    /// Does the work of the call, and ends the call with the outcome.
    func concluding<Value>(_ work: () async throws -> (product: Value, response: HTTPResponse)) async throws -> Value {
        do {
            let (product, response) = try await work()
            conclude(response)
            return product
        } catch {
            throw await conclude(reason(of: error))
        }
    }

    /// Returns the error of a call whose work has thrown one. The work of a call that was stopped throws a cancellation, and the call fails for the
    /// reason of that.
    func reason(of error: any Error) -> any Error {
        if isCancelled { return CancellationError() }
        return error.isCancellation ? stopper.error ?? error : error
    }

    /// Ends the call with a response.
    func conclude(_ response: HTTPResponse) {
        let end = history.noteEnd(isFailure: false)
        if end.isFirst { notifyObservers(.success(response.withoutReceivedPayload), of: end) }
    }

    /// Ends the call with an error. Notifies the observers, then runs the error handlers, and returns the error with which the call fails.
    ///
    /// It may follow a response, if receiving the body fails afterwards. After the first error, it changes nothing any more.
    func conclude(_ error: any Error) async -> any Error {
        let annotated = statingWait(history.annotate(error, described))
        let error = (annotated as? APIError).map { hidingKnownSecrets(of: $0) } ?? annotated
        let end = history.noteEnd(isFailure: true)
        if end.isFirst { notifyObservers(.failure(error), of: end) }
        guard end.isFirstFailure else { return history.left ?? leaving(error) }
        let left = isInBackground ? error : await handled(error)
        history.note(left: left)
        return left
    }

    /// Returns the error with a message and an explanation that lack the secrets which the tag knows by their value. A server may repeat them there.
    func hidingKnownSecrets(of error: APIError) -> APIError {
        error.hiding(profile.redaction)
    }

    /// Returns the error with the wait that a retry would observe.
    private func statingWait(_ error: any Error) -> any Error {
        guard var error = error as? APIError, error.retryAfter == nil, let wait = error.askedWait(now: client.date()) else { return error }
        error.retryAfter = wait
        return error
    }

    /// Ends a call in progress with an error, and returns the error as the call reports it. Cancelling the call ends the wait for its handlers.
    ///
    /// - Parameter work: The work of the call that has failed. The handlers take its place.
    func conclude(_ error: any Error, after work: any StoppableWork) async -> any Error {
        stopper.end()
        let promise = Promise<Never>(core: PromiseCore(origin: nil))
        guard hasErrorHandler, !isCancelled, task.take(promise.core) else {
            let left = await withRedaction { await conclude(error) }
            task.end(work, as: left is CancellationError ? .cancelled : .completed)
            return left
        }
        promise.core.run { [self] in throw await withRedaction { await conclude(error) } }
        var left: any Error = CancellationError()
        if case .failure(let error) = await promise.result { left = error }
        // If the call was cancelled before its handlers had begun, it is not concluded yet.
        if left is CancellationError { _ = await conclude(left) }
        task.end(promise.core, as: left is CancellationError ? .cancelled : .completed)
        return left
    }

    /// Returns the error after the handlers have run.
    private func handled(_ error: any Error) async -> any Error {
        guard !task.isCancelled, var error = leaving(error) as? APIError else { return CancellationError() }
        error.contents.text = shownText(of: error)
        let handlers = handlers
        guard !handlers.isEmpty else { return error }
        let decision: Decision
        do {
            decision = try await self.decision(of: handlers, on: error)
        } catch is CancellationError {
            return CancellationError()
        } catch {
            // The handlers have exceeded their time limit, so the original error stays.
            return error
        }
        if case .stop(let stopped) = decision { history.note(stopped: stopped) }
        return decision.error
    }

    private enum Decision: Sendable {
        case fail(APIError)
        case stop(APIError)
        /// A handler has replaced the error by a cancellation. `cancelSilently` is the documented way.
        case cancel

        var error: any Error { if case .fail(let error) = self { error } else { CancellationError() } }
    }

    /// The error handlers of the call, without those in which it began.
    private var handlers: [AppErrorHandler] {
        let ofTag = profile.onError.map { AppErrorHandler(closure: AppClosure(.errorHandler(request.tag), of: client), handle: $0) }
        return [ofTag, snapshot.settings.errorHandler].compactMap { $0 }.filter { !isWithin($0.closure) }
    }

    /// Returns the text of an error that the app shows, or `nil` if it has none of its own.
    private func shownText(of error: APIError) -> String? {
        guard let texts = profile.errorMessages, !isWithin(.errorMessages) else { return nil }
        return runPlain(.errorMessages) { texts(error) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Runs the handlers within the deadline of the call.
    private func decision(of handlers: [AppErrorHandler], on error: APIError) async throws -> Decision {
        guard let left = deadlineLeft else { return await ask(handlers, error) }
        return try await withTimeLimit(left > .zero ? left : Self.grace, on: client.clock, error: error) { [self] in
            await ask(handlers, error)
        }
    }

    private func ask(_ handlers: [AppErrorHandler], _ error: APIError) async -> Decision {
        var error = error
        var request = request.known(as: summary)
        // A handler may send the request again, as a call of its own.
        if request.origin != nil { request.origin = nil }
        for handler in handlers {
            switch await ClosureScope.run(
                handler.closure, within: within, handling: task.callID, { [error] in await handler.handle(error, request) })
            {
            case .proceed: break
            case .cancelSilently: return .stop(error)
            case .replace(let other):
                guard other.kind != .cancelled else { return .cancel }
                error = other
                error.contents.text = shownText(of: other) ?? other.contents.text
            }
        }
        return .fail(error)
    }

    /// Whether the call was cancelled, by its task or from outside.
    var isCancelled: Bool { Task.isCancelled || task.isCancelled }

    func throwIfCancelled() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Whether an error handler applies to the call.
    var hasErrorHandler: Bool { profile.onError != nil || snapshot.settings.errorHandler != nil }

    /// Returns the error as the call reports it: an ``APIError``, or a `CancellationError` for any form of cancellation.
    func leaving(_ error: any Error) -> any Error {
        let error = APIError.wrapping(error)
        guard error.kind == .cancelled else { return error }
        // An error of kind `cancelled` is a cancellation only if this call was cancelled, or if an interceptor or the transport has thrown it.
        // Otherwise it comes from a closure that serves several calls, and is a failure of kind `other`.
        return isCancelled || history.wasCancelledByCode
            ? CancellationError() : APIError(.other, message: error.message, underlying: error.underlying ?? error)
    }
}
