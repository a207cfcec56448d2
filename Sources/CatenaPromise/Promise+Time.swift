extension Promise {
    /// Returns a promise of this outcome, or of the error ``PromiseError/timedOut`` if this promise is not settled within `limit`.
    ///
    /// After `limit`, this promise is cancelled, unless another promise or task waits for it.
    public func timeout(_ limit: Duration) -> Promise<Value> {
        timeout(limit, on: SystemClock.shared)
    }

    package func timeout(_ limit: Duration, on clock: any TimerClock) -> Promise<Value> {
        let result = PromiseCore(origin: core.origin)
        let watcher = core.derive(interest: .any) { outcome in
            result.settle(outcome)
            return .settle(outcome.seen)
        }
        result.whenCancelled { watcher.cancel() }
        let timer = clock.schedule(after: limit) {
            result.settle(.rejected(PromiseError.timedOut, .unseen))
            watcher.cancel()
        }
        result.whenSettled { timer.cancel() }
        return Promise(core: result)
    }

    /// Returns a promise that is fulfilled with the value after a further `delay`. An error is passed on at once.
    public func delay(_ delay: Duration) -> Promise<Value> {
        self.delay(delay, on: SystemClock.shared)
    }

    package func delay(_ delay: Duration, on clock: any TimerClock) -> Promise<Value> {
        flatMap { value in Promise<Void>.delay(delay, on: clock).map { value } }
    }
}

extension Promise where Value == Void {
    /// Makes a promise that is fulfilled after `delay`. Cancelling it ends the wait.
    public static func delay(_ delay: Duration, file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        self.delay(delay, on: SystemClock.shared, file: file, line: line)
    }

    package static func delay(
        _ delay: Duration,
        on clock: any TimerClock,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Void> {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        let timer = clock.schedule(after: delay) { core.settle(.fulfilled(with: ())) }
        core.whenCancelled { timer.cancel() }
        return Promise(core: core)
    }
}
