#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// The thread that drives libcurl: it waits for sockets, timers and commands, and does what they ask for.
///
/// The proof for `@unchecked Sendable`: `commands` is behind a lock; everything else is touched by the loop's thread only, which
/// `run()` is the body of. libcurl's callbacks are called by libcurl, which is called by that thread only.
///
/// Members that change with each transfer are not checked for overlapping accesses, since nothing that runs within one comes back to them.
/// The end of an object that is freed there, such as a transfer, can send a command and no more.
final class CurlLoop: @unchecked Sendable {
    private enum Command {
        case start(CurlTransfer)
        case run(CurlTransfer)
        case stop(CurlTransfer, any Error)
        case resume(CurlTransfer)
        case resumeSending(CurlTransfer)
        case close
    }

    private let commands = Mutex<[Command]>([])
    /// The actions that wait for the end of the thread.
    private let endings = Mutex<[@Sendable () -> Void]>([])
    let poller: Poller
    private let multi: OpaquePointer
    /// The sessions of TLS, which transfers share; set and taken back on the loop's thread only.
    private let sessions: OpaquePointer
    private let idleConnections: Int
    let origins: CurlOriginTable
    let limits: ConnectionLimits
    let handles = CurlHandlePool()
    /// How many transfers libcurl has. Each of their handles holds its transfer.
    @exclusivity(unchecked) private var running = 0
    private var isClosing = false
    /// The transfers whose callers want an end by a certain moment, also those that wait for their turn.
    @exclusivity(unchecked) private var deadlines = ExpiryQueue<CurlTransfer>()
    /// When the deadlines are looked at next; no later than the first of them. A deadline that is not needed any more leaves it as it is.
    @exclusivity(unchecked) private var nextLook = Int64.max
    /// The origins whose transfers wait for the first byte of a response, and until when.
    @exclusivity(unchecked) var settling: [(end: Int64, origin: CurlOrigin)] = []
    /// The work that is left until libcurl has returned, since it must not be called from its own callbacks.
    @exclusivity(unchecked) var round = LoopRound()
    /// The transfers whose responses have begun over what may be HTTP/2, and how much had arrived when libcurl was last asked to continue.
    @exclusivity(unchecked) var unfinished: [(CurlTransfer, progress: Int64)] = []
    /// The transfers whose readers wait for a head that has just arrived.
    @exclusivity(unchecked) private var heads: [CurlTransfer] = []
    /// Callers who are told when this round is over: the first of them wakes a thread, which finds the others there instead of being woken
    /// for each.
    @exclusivity(unchecked) private var wakes: [CurlTransfer] = []

    /// The configured number of idle connections is divided among the loops.
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
        let thread = Thread { [self] in run() }
        thread.name = "catena.curl"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    // MARK: From any thread

    func start(_ transfer: CurlTransfer) { send(.start(transfer)) }

    /// Says to a transfer that has waited that it is its turn.
    private func takeTurn(_ transfer: CurlTransfer) { send(.run(transfer)) }

    func stop(_ transfer: CurlTransfer, with error: any Error) { send(.stop(transfer, error)) }

    func resume(_ transfer: CurlTransfer) { send(.resume(transfer)) }

    func resumeSending(_ transfer: CurlTransfer) { send(.resumeSending(transfer)) }

    /// Ends the thread. Every transfer holds the engine, which closes its loop last: none comes after this.
    func close() { send(.close) }

    /// Does something when the thread has given everything back.
    func onEnd(_ action: @escaping @Sendable () -> Void) { endings.withLock { $0.append(action) } }

    private func send(_ command: Command) {
        let wasEmpty = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if wasEmpty { poller.wake() }
    }

    // MARK: On the loop's thread

    private func run() {
        // A connection that is gone must not end the process when libcurl or OpenSSL writes to it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isClosing || running > 0 {
            // With more transfers there is mostly something to do, and where there is not, others need the processor.
            poller.wait(mayStayAwake: running <= 2) { event in
                switch event {
                case .wakeUp: obeyCommands()
                case .socket(let socket, let events): _ = catena_multi_action(multi, socket, events)
                }
            }
            if poller.takeTimer() { _ = catena_multi_action(multi, -1, 0) }
            finishTransfers()
            if !unfinished.isEmpty { completeResponses() }
            if !round.isEmpty { finishRound() }
            if poller.takeAlarm() { failLate() }
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

    /// Called from libcurl's callbacks.
    func handOverHeadLater(of transfer: CurlTransfer) {
        heads.append(transfer)
    }

    /// Called by a transfer that is over.
    func wakeCallerLater(of transfer: CurlTransfer) {
        wakes.append(transfer)
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
            case .close: isClosing = true
            }
        }
    }

    private func begin(_ transfer: CurlTransfer) {
        transfer.isOwnedByLoop = true
        if let early = transfer.stoppedEarly { return transfer.fail(early) }
        if let deadline = transfer.deadline, !watch(deadline, of: transfer) { return }
        if origins.enter(transfer), !admit(transfer) { leave(transfer) }
    }

    /// Gives whether the deadline is still to come.
    private func watch(_ deadline: TransferDeadline, of transfer: CurlTransfer) -> Bool {
        let expiry = deadline.nanoseconds
        let now = TransferDeadline.nanoseconds(of: .now)
        guard expiry > now else {
            transfer.fail(deadline.error)
            return false
        }
        if nextLook <= now {
            // The clock of deadlines continues while the system is suspended, that of the alarm does not.
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

    /// Called by a transfer that is over.
    func forget(_ transfer: CurlTransfer) {
        transfer.seat.leave()
        if transfer.deadline != nil { deadlines.remove(transfer) }
    }

    /// Ends what is out of time.
    private func failLate() {
        let now = TransferDeadline.nanoseconds(of: .now)
        while let (expiry, transfer) = deadlines.first, expiry <= now, let deadline = transfer.deadline { end(transfer, deadline.error) }
        settle(now: now)
        nextLook = .max
        let next = min(deadlines.first?.0 ?? .max, settling.first?.end ?? .max)
        if next != .max { look(at: next, now: now) }
    }

    /// Looks no later than at this moment.
    func lookBefore(_ expiry: Int64, now: Int64) {
        if expiry < nextLook { look(at: expiry, now: now) }
    }

    /// Returns whether libcurl has the transfer, whose turn it is, or will get it; if not, it is over.
    private func admit(_ transfer: CurlTransfer) -> Bool {
        guard !transfer.isOver else { return false }
        return mayStart(transfer) ? run(transfer) : true
    }

    /// Gives libcurl a transfer whose turn it is. Returns whether that has worked; if not, the transfer is over.
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

    /// Gives libcurl the handle of a transfer, which is a new one each time.
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

    /// To libcurl's limit those that are in use count too: with more transfers than idle connections are kept it would close one for each
    /// that is over.
    private func limitConnections() {
        _ = catena_multi_set_long(multi, CurlLibrary.MultiOption.connections, idleConnections + running)
    }

    /// The transfer whose handle this is.
    private func transfer(of easy: OpaquePointer) -> CurlTransfer? {
        catena_easy_get_context(easy).map(CurlCallbacks.transfer)
    }

    /// Makes room for the next transfer to the same origin.
    func leave(_ transfer: CurlTransfer) {
        while let next = origins.leave(transfer) {
            // Its own loop knows whether it still wants its turn.
            guard next.loop === self else { return next.loop.takeTurn(next) }
            if admit(next) { return }
        }
    }

    func end(_ transfer: CurlTransfer, _ error: any Error) {
        guard transfer.isOwnedByLoop else {
            transfer.stoppedEarly = error
            return
        }
        // It may have come to its end just before, and then its connection is one to be watched.
        finishTransfers()
        if (error as? APIError)?.kind == .timeout { noteTimeout(of: transfer) }
        transfer.fail(error)
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

    /// Ends a transfer for which libcurl has nothing more to do, although it would not say so.
    func finish(_ transfer: CurlTransfer, code: Int32) {
        guard transfer.isRunning, !transfer.isOver, let easy = transfer.easy else { return }
        transfer.complete(code: code)
        remove(transfer, easy)
    }

    /// Has libcurl look at a socket again, and at what it has read already: from 8.7 on a timer that is due stands for that.
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

    /// Tries another connection: the one that was no good is closed, so there are fewer each time.
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

    private func unpauseReceiving(_ transfer: CurlTransfer) {
        guard transfer.catchUp(), transfer.isRunning, transfer.willResume(), let easy = transfer.easy else { return }
        pause(transfer, easy, transfer.isSendingPaused ? CurlLibrary.Pause.sending : 0)
    }

    private func unpauseSending(_ transfer: CurlTransfer) {
        guard transfer.isRunning, transfer.willResumeSending(), let easy = transfer.easy else { return }
        pause(transfer, easy, transfer.isPaused ? CurlLibrary.Pause.receiving : 0)
    }

    /// Says which directions wait. Libcurl delivers what was held back before it returns; where that is refused it says so here alone, and
    /// the transfer would go on.
    private func pause(_ transfer: CurlTransfer, _ easy: OpaquePointer, _ directions: Int32) {
        let code = catena_easy_pause(easy, directions)
        guard code != 0 else { return }
        // libcurl takes none for a transfer that it has finished: that has a result of its own.
        finishTransfers()
        finish(transfer, code: code)
    }

    func finishTransfers() {
        var code: Int32 = 0
        while let easy = catena_multi_next_done(multi, &code) {
            guard let transfer = transfer(of: easy) else { continue }
            if code != 0, transfer.startsAgain() {
                startAgain(transfer, easy)
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
