#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// The thread that drives libcurl: it waits for sockets, timers and commands, and handles them.
///
/// The proof for `@unchecked Sendable`: `commands` and `endings` are behind locks. Only the loop's thread, which executes `run()`, uses
/// everything else. libcurl's callbacks run on that thread, because only that thread calls libcurl.
///
/// Members that change with each transfer are not checked for overlapping accesses, because no code that runs during an access uses them
/// again. The deinitializer of an object released there, such as a transfer, can at most send a command.
final class CurlLoop: @unchecked Sendable {
    private enum Command {
        case start(CurlTransfer)
        case run(CurlTransfer)
        case stop(CurlTransfer, any Error)
        case resume(CurlTransfer)
        case resumeSending(CurlTransfer)
        case describe(CurlTransfer, @Sendable (TransferPhase?) -> Void)
        case close
    }

    private let commands = Mutex<[Command]>([])
    /// The actions to perform after the thread has ended.
    private let endings = Mutex<[@Sendable () -> Void]>([])
    let poller: Poller
    private let multi: OpaquePointer
    /// The TLS sessions that transfers share. Set and removed on the loop's thread only.
    private let sessions: OpaquePointer
    private let idleConnections: Int
    let origins: CurlOriginTable
    let limits: ConnectionLimits
    let handles = CurlHandlePool()
    /// The number of transfers that libcurl has. Each of their handles retains its transfer.
    @exclusivity(unchecked) private(set) var running = 0
    private var isClosing = false
    /// The transfers with a deadline, including those that wait for their turn.
    @exclusivity(unchecked) private var deadlines = ExpiryQueue<CurlTransfer>()
    /// The time of the next deadline check, no later than the first deadline. Removing a deadline does not change it.
    @exclusivity(unchecked) private var nextLook = Int64.max
    /// The connections for whose first byte of a response their origin's transfers wait, and the end of that wait, the first one first.
    @exclusivity(unchecked) var settling: [(end: Int64, connection: CurlConnection)] = []
    /// The work that is postponed until libcurl has returned, because its callbacks must not call it.
    @exclusivity(unchecked) var round = LoopRound()
    /// The number of iterations.
    @exclusivity(unchecked) private(set) var rounds = 0
    /// The transfers whose responses have begun, and may continue with bytes that libcurl or TLS has already read.
    @exclusivity(unchecked) var unfinished: [CurlTransfer] = []
    /// The transfers whose readers wait for a head that has just arrived. libcurl's callbacks add to them.
    @exclusivity(unchecked) var heads: [CurlTransfer] = []
    /// The transfers that have ended, and whose callers are resumed at the end of this iteration. Resuming them together wakes one thread,
    /// which runs them all, instead of waking a thread for each.
    @exclusivity(unchecked) var wakes: [CurlTransfer] = []

    /// Makes a loop and starts its thread. The configured number of idle connections is divided among the loops.
    init?(_ configuration: CurlConfiguration, _ origins: CurlOriginTable) {
        guard let poller = Poller(), let multi = catena_multi_init() else { return nil }
        guard let sessions = catena_share_sessions() else {
            catena_multi_cleanup(multi)
            return nil
        }
        self.poller = poller
        self.multi = multi
        self.sessions = sessions
        self.origins = origins
        limits = ConnectionLimits(configuration)
        idleConnections = max(1, configuration.idleConnections / configuration.loops)
        let context = Unmanaged.passUnretained(poller).toOpaque()
        let results = [
            catena_multi_set_long(multi, CurlLibrary.MultiOption.connections, idleConnections),
            catena_multi_set_pointer(multi, CurlLibrary.MultiOption.socketContext, context),
            catena_multi_set_pointer(multi, CurlLibrary.MultiOption.timerContext, context),
            catena_multi_set_socket_callback(multi, CurlLibrary.MultiOption.socketCallback, CurlCallbacks.socket),
            catena_multi_set_timer_callback(multi, CurlLibrary.MultiOption.timerCallback, CurlCallbacks.timer),
        ]
        guard results.allSatisfy({ $0 == 0 }) else {
            catena_multi_cleanup(multi)
            catena_share_cleanup(sessions)
            return nil
        }
        // The thread keeps the loop alive until it is closed.
        SystemThread.run(stackSize: 512 * 1024) { [self] in
            catena_thread_name("catena.curl")
            run()
        }
    }

    // MARK: From any thread

    func start(_ transfer: CurlTransfer) { send(.start(transfer)) }

    /// Tells a waiting transfer's loop that the transfer may run.
    private func takeTurn(_ transfer: CurlTransfer) { send(.run(transfer)) }

    func stop(_ transfer: CurlTransfer, with error: any Error) { send(.stop(transfer, error)) }

    func resume(_ transfer: CurlTransfer) { send(.resume(transfer)) }

    func resumeSending(_ transfer: CurlTransfer) { send(.resumeSending(transfer)) }

    /// Calls a handler on the loop's thread with the phase of a transfer, or with `nil` if the transfer has ended.
    func describe(_ transfer: CurlTransfer, to reply: @escaping @Sendable (TransferPhase?) -> Void) { send(.describe(transfer, reply)) }

    /// Ends the thread. No transfer can follow, because each retains the engine, which closes its loop on release.
    func close() { send(.close) }

    /// Performs an action after the thread has released everything.
    func onEnd(_ action: @escaping @Sendable () -> Void) { endings.withLock { $0.append(action) } }

    /// Whether a command waits, such as one to start another transfer.
    var hasCommands: Bool { commands.withLock { !$0.isEmpty } }

    private func send(_ command: Command) {
        let wasEmpty = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if wasEmpty { poller.wake() }
    }

    // MARK: On the loop's thread

    private func run() {
        // Writing to a closed connection in libcurl or OpenSSL must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isClosing || running > 0 {
            rounds &+= 1
            // With more transfers there is usually work. If there is none, other threads need the processor.
            poller.wait(mayStayAwake: running <= 2) { event in
                switch event {
                case .wakeUp: obeyCommands()
                case .socket(let socket, let events):
                    _ = catena_multi_action(multi, socket, events)
                    // libcurl may end an HTTP/2 connection without a call, and tell its transfers only when it is asked again.
                    if !unfinished.isEmpty { poller.connection(on: socket)?.noteEvent() }
                }
            }
            if poller.takeTimer() { _ = catena_multi_action(multi, -1, 0) }
            finishTransfers()
            if !unfinished.isEmpty { completeResponses() }
            finishRounds()
            if poller.takeAlarm() {
                failLate()
                // The others may continue without a transfer that was late.
                finishRounds()
            }
            // To continue one transfer, libcurl may have read bytes of another one.
            if !unfinished.isEmpty, unansweredConnection() != nil { poller.wake() }
            if !heads.isEmpty {
                for transfer in heads { transfer.handOverHead() }
                heads.removeAll(keepingCapacity: true)
            }
            if !wakes.isEmpty {
                for transfer in wakes { transfer.wakeCaller() }
                wakes.removeAll(keepingCapacity: true)
            }
        }
        catena_multi_cleanup(multi)
        handles.close()
        catena_share_cleanup(sessions)
        for action in endings.withLock({ $0 }) { action() }
    }

    private func obeyCommands() {
        let taken = commands.withLock { commands in
            let taken = commands
            commands = []
            return taken
        }
        for command in taken {
            switch command {
            case .start(let transfer): begin(transfer)
            case .run(let transfer): if !admit(transfer) { leave(transfer) }
            case .stop(let transfer, let error): end(transfer, error)
            case .resume(let transfer): unpauseReceiving(transfer)
            case .resumeSending(let transfer): unpauseSending(transfer)
            case .describe(let transfer, let reply): reply(transfer.isOver ? nil : transfer.phase(among: origins.limit))
            case .close: isClosing = true
            }
        }
    }

    private func begin(_ transfer: CurlTransfer) {
        transfer.isOwnedByLoop = true
        if let early = transfer.stoppedEarly { return transfer.fail(early) }
        let isItsTurn = origins.enter(transfer)
        if !isItsTurn { transfer.beginWait(atMost: origins.placeTimeout, among: origins.limit) }
        guard watch(transfer) else {
            if isItsTurn { leave(transfer) }
            return
        }
        if isItsTurn, !admit(transfer) { leave(transfer) }
    }

    /// Returns whether the deadline, if there is one, is still to come.
    private func watch(_ transfer: CurlTransfer) -> Bool {
        guard let deadline = transfer.deadline else { return true }
        let expiry = deadline.nanoseconds
        let now = TransferDeadline.nanoseconds(of: .now)
        guard expiry > now else {
            transfer.fail(APIError(late: deadline.limit, in: transfer.phase(among: origins.limit)))
            return false
        }
        if nextLook <= now {
            // The clock of the deadlines continues while the system is suspended, but the clock of the alarm does not.
            look(at: now, now: now)
        } else if expiry < nextLook {
            look(at: expiry, now: now)
        }
        deadlines.add(transfer, expiry: expiry)
        return true
    }

    func look(at expiry: Int64, now: Int64) {
        nextLook = expiry
        poller.setAlarm(after: expiry - now)
    }

    /// Removes the transfer's deadline and seat. Called by a transfer that has ended.
    func forget(_ transfer: CurlTransfer) {
        transfer.seat.leave()
        if transfer.deadline != nil { deadlines.remove(transfer) }
    }

    /// Ends the transfers whose deadlines have passed.
    private func failLate() {
        let now = TransferDeadline.nanoseconds(of: .now)
        while let (expiry, transfer) = deadlines.first, expiry <= now, let deadline = transfer.deadline {
            end(transfer, deadline.error)
        }
        settle(now: now)
        nextLook = .max
        let next = min(deadlines.first?.0 ?? .max, settling.first?.end ?? .max)
        if next != .max { look(at: next, now: now) }
    }

    /// Checks the deadlines no later than at this time.
    func lookBefore(_ expiry: Int64, now: Int64) {
        if expiry < nextLook { look(at: expiry, now: now) }
    }

    /// Starts or holds a transfer whose turn it is. Returns `false` if the transfer has ended.
    private func admit(_ transfer: CurlTransfer) -> Bool {
        guard !transfer.isOver else { return false }
        if transfer.waitsForPlace {
            deadlines.remove(transfer)
            transfer.endWait()
            guard watch(transfer) else { return false }
        }
        return mayStart(transfer) ? run(transfer) : true
    }

    /// Passes a transfer to libcurl. Returns `false` if this failed and the transfer has ended.
    func run(_ transfer: CurlTransfer) -> Bool {
        guard !transfer.isOver else { return false }
        transfer.willRun()
        do {
            try add(transfer)
            return true
        } catch {
            transfer.fail(error)
            endScouting(transfer)
            return false
        }
    }

    /// Passes a transfer's handle to libcurl, a new one each time.
    private func add(_ transfer: CurlTransfer) throws {
        do {
            try transfer.attach(to: Unmanaged.passUnretained(poller).toOpaque(), sharing: sessions)
            guard let easy = transfer.easy, catena_multi_add(multi, easy) == 0 else { throw CurlFailure.closed }
        } catch {
            transfer.detach()
            throw error
        }
        _ = Unmanaged.passRetained(transfer)
        running += 1
        limitConnections()
        transfer.isRunning = true
        if transfer.waitsForConnection { transfer.origin?.addUnconnected(transfer) }
    }

    /// libcurl's limit includes the connections in use. Without this adjustment, more transfers than the idle limit would make it close one
    /// connection per finished transfer.
    private func limitConnections() {
        _ = catena_multi_set_long(multi, CurlLibrary.MultiOption.connections, idleConnections + running)
    }

    private func transfer(of easy: OpaquePointer) -> CurlTransfer? {
        catena_easy_get_context(easy).map(CurlCallbacks.transfer)
    }

    /// Makes room for the next transfer to the same origin.
    func leave(_ transfer: CurlTransfer) {
        while let next = origins.leave(transfer) {
            // Only the transfer's own loop knows whether it still waits.
            guard next.loop === self else { return next.loop.takeTurn(next) }
            if admit(next) { return }
        }
    }

    func end(_ transfer: CurlTransfer, _ error: any Error) {
        guard transfer.isOwnedByLoop else {
            transfer.stoppedEarly = error
            return
        }
        // Handle finished transfers first, because this transfer may just have ended. Then its connection has to be watched.
        finishTransfers()
        if (error as? APIError)?.kind == .timeout { noteTimeout(of: transfer) }
        transfer.fail(APIError.adding(transfer.phase(among: origins.limit), to: error))
        if transfer.isHeld {
            transfer.isHeld = false
            leave(transfer)
        }
        guard transfer.isRunning, let easy = transfer.easy else { return }
        remove(transfer, easy)
    }

    private func remove(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        takeBack(transfer, easy)
        poller.noteEnd()
        endScouting(transfer)
        leave(transfer)
    }

    /// Ends a transfer that libcurl has completed but would not report.
    func finish(_ transfer: CurlTransfer, code: Int32) {
        guard transfer.isRunning, !transfer.isOver, let easy = transfer.easy else { return }
        transfer.complete(code: code)
        remove(transfer, easy)
    }

    /// Makes libcurl check a socket again, and the data that it has already read. From 8.7 on only a due timer makes it check that data.
    func act(on socket: Int32) {
        _ = catena_multi_action(multi, socket, 1)
        _ = catena_multi_action(multi, -1, 0)
    }

    private func takeBack(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        transfer.isRunning = false
        _ = catena_multi_remove(multi, easy)
        transfer.leaveConnection()
        transfer.origin?.removeUnconnected(transfer)
        transfer.detach()
        running -= 1
        limitConnections()
        Unmanaged.passUnretained(transfer).release()
    }

    /// Tries another connection. Repeated calls end, because the unfit connection is closed each time.
    func startAgain(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        takeBack(transfer, easy)
        do {
            try add(transfer)
        } catch {
            transfer.fail(error)
            endScouting(transfer)
            leave(transfer)
        }
    }

    func finishTransfers() {
        var code: Int32 = 0
        while let easy = catena_multi_next_done(multi, &code) {
            guard let transfer = transfer(of: easy) else { continue }
            if code != 0, transfer.startsAgain() {
                if let connection = transfer.awaited.take(), connection.hold(transfer) {
                    takeBack(transfer, easy)
                    transfer.isHeld = true
                } else {
                    startAgain(transfer, easy)
                }
                continue
            }
            if code == 0 {
                noteSuccess(of: transfer, version: catena_easy_get_long(easy, CurlLibrary.Info.httpVersion))
            } else {
                noteFailure(of: transfer, code: code)
            }
            transfer.complete(code: code)
            remove(transfer, easy)
        }
    }
}
#endif
