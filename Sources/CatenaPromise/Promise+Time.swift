extension Promise {
    /// The same outcome if it comes in time, else ``PromiseError/timedOut``; the source is cancelled then unless somebody else wants
    /// it.
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

    /// The same value, later by `delay`. An error passes at once.
    public func delay(_ delay: Duration) -> Promise<Value> {
        self.delay(delay, on: SystemClock.shared)
    }

    package func delay(_ delay: Duration, on clock: any TimerClock) -> Promise<Value> {
        flatMap { value in Promise<Void>.delay(delay, on: clock).map { value } }
    }
}

extension Promise where Value == Void {
    /// A promise that is fulfilled after a while. Cancelling it ends the wait.
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
