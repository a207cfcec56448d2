extension CallRun {
    /// Delivers an event of a call to the observers.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ call: Call) {
        if !snapshot.settings.observers.isEmpty { tellObservers(kind(), of: call) }
    }

    /// Delivers an event of an abandoned attempt to the observers.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ lost: AttemptHistory.ConcurrentAttempt) {
        inspected?.failAttempt(lost.attempt, CancellationError(), at: now)
        emit(kind(), lost.request, attempt: lost.attempt)
    }

    private func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        if !snapshot.settings.observers.isEmpty { tellObservers(kind(), sent, attempt: attempt) }
    }

    // Inlined, the reads of the call's members copy all of them, without any observer.
    @inline(never)
    private func tellObservers(_ kind: CallEvent.Kind, of call: Call) { tellObservers(kind, call.prepared, attempt: call.attempt) }

    private func tellObservers(_ kind: CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        let observers = snapshot.settings.observers
        var event = CallEvent(
            callID: id, kind: kind, tag: request.tag, request: sent, attempt: attempt,
            elapsed: client.clock.now - start, date: client.date())
        event.ownValues = request.ownValues
        for observer in observers where observer.isImmediate { observer.tell(event) }
        let others = observers.filter { !$0.isImmediate && !isWithin(.observer, of: $0) }
        if others.isEmpty { return }
        let isAdded = client.observation.add(retaining: event.bodies) { [event, within] in
            for observer in others { observer.tell(event, within: within) }
        }
        if isAdded { return }
        let shortened = event.withoutBodies
        client.observation.add { [within] in for observer in others { observer.tell(shortened, within: within) } }
    }

    /// Delivers the outcome of the call to watchers, keepers and observers.
    func notifyObservers(_ result: @autoclosure () -> Result<HTTPResponse, any Error>, of end: AttemptHistory.End) {
        inspected?.finish(result(), at: now)
        if !snapshot.settings.keepers.isEmpty, case .failure(let error as APIError) = result(), error.kind != .cancelled { keep(error) }
        if snapshot.settings.observers.isEmpty { return }
        emit(.finished(result()), history.request, attempt: history.attempts)
        if end.wasExpected { client.expectedEnds.withLock { $0 -= 1 } }
    }

    private func keep(_ error: APIError) {
        let call = FailedCall(self, error)
        for keeper in snapshot.settings.keepers { keeper.keep(call) }
    }
}

extension FailedCall {
    init(_ run: CallRun, _ error: APIError) {
        (tag, callID) = (run.task.tag, run.id)
        (configuration, redaction) = (run.sharedConfiguration, run.profile.redaction)
        (start, end) = (run.start, run.now)
        (request, attempts) = run.history.last
        self.error = error
    }
}
