#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// The thread that drives libcurl: it waits for sockets, timers and commands, and does what they ask for.
///
/// The proof for `@unchecked Sendable`: `commands` is behind a lock; everything else is touched by the loop's thread only, which
/// `run()` is the body of. libcurl's callbacks are called by libcurl, which is called by that thread only.
///
/// What changes with each transfer is not checked for overlapping accesses, since nothing that runs within one comes back to these members:
/// what is freed there, such as the last reference to a transfer, can send a command and no more.
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
    /// What waits for the end of the thread.
    private let endings = Mutex<[@Sendable () -> Void]>([])
    private let poller: Poller
    private let multi: OpaquePointer
    /// What transfers share beside the connections; set and taken back on the loop's thread only.
    private let sessions: OpaquePointer
    private let idleConnections: Int
    private let origins: CurlOriginTable
    /// How many transfers libcurl has. Each of their handles holds its transfer.
    @exclusivity(unchecked) private var running = 0
    /// Which transfer has sent its request last from which of our ports.
    @exclusivity(unchecked) private var users: [Int: ObjectIdentifier] = [:]
    private var isClosing = false
    /// The transfers whose callers want an end by a certain moment, also those that wait for their turn.
    @exclusivity(unchecked) private var deadlines = ExpiryQueue<CurlTransfer>()
    /// When the deadlines are looked at next; no later than the first of them. A deadline that is not needed any more leaves it as it is.
    @exclusivity(unchecked) private var nextLook = Int64.max
    /// Those whose readers wait for a head that has just arrived.
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

    /// Called from libcurl's callbacks when a transfer is about to send its request. Whether the connection is one that must not be used.
    func isStale(connectionFromPort port: Int, for transfer: CurlTransfer) -> Bool {
        if poller.hasStrayBytes(onPort: port) { return true }
        poller.willUse(port: port)
        release(portOf: transfer)
        users[port] = ObjectIdentifier(transfer)
        transfer.port = port
        return false
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
            case .run(let transfer): if !run(transfer) { leave(transfer) }
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
        if origins.enter(transfer), !run(transfer) { leave(transfer) }
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
            // The clock of deadlines goes on while the system is suspended, that of the alarm does not.
            look(at: now, now: now)
        } else if expiry < nextLook {
            look(at: expiry, now: now)
        }
        deadlines.add(transfer, expiry: expiry)
        return true
    }

    private func look(at expiry: Int64, now: Int64) {
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
        nextLook = .max
        if let (expiry, _) = deadlines.first { look(at: expiry, now: now) }
    }

    /// Gives whether libcurl has the transfer, whose turn it is; if not, it is over.
    private func run(_ transfer: CurlTransfer) -> Bool {
        guard !transfer.isOver else { return false }
        transfer.willRun()
        do {
            try add(transfer)
            return true
        } catch {
            transfer.fail(error)
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
    private func leave(_ transfer: CurlTransfer) {
        while let next = origins.leave(transfer) {
            // Its own loop knows whether it still wants its turn.
            guard next.loop === self else { return next.loop.takeTurn(next) }
            if run(next) { return }
        }
    }

    private func end(_ transfer: CurlTransfer, _ error: any Error) {
        guard transfer.isOwnedByLoop else {
            transfer.stoppedEarly = error
            return
        }
        // It may have come to its end just before, and then its connection is one to be watched.
        finishTransfers()
        transfer.fail(error)
        guard transfer.isRunning, let easy = transfer.easy else { return }
        remove(transfer, easy)
    }

    private func remove(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        takeBack(transfer, easy)
        poller.noteEnd()
        leave(transfer)
    }

    private func takeBack(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        transfer.isRunning = false
        _ = catena_multi_remove(multi, easy)
        release(portOf: transfer)
        transfer.detach()
        running -= 1
        limitConnections()
        Unmanaged.passUnretained(transfer).release()
    }

    private func release(portOf transfer: CurlTransfer) {
        guard let port = transfer.port, users[port] == ObjectIdentifier(transfer) else { return }
        users[port] = nil
    }

    /// Tries another connection: the one that was no good is closed, so there are fewer each time.
    private func startAgain(_ transfer: CurlTransfer, _ easy: OpaquePointer) {
        takeBack(transfer, easy)
        do {
            try add(transfer)
        } catch {
            transfer.fail(error)
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
        guard code != 0, transfer.isRunning else { return }
        transfer.complete(code: code)
        remove(transfer, easy)
    }

    private func finishTransfers() {
        var code: Int32 = 0
        while let easy = catena_multi_next_done(multi, &code) {
            guard let transfer = transfer(of: easy) else { continue }
            if code != 0, transfer.startsAgain(after: code) {
                startAgain(transfer, easy)
                continue
            }
            // On HTTP/2 the peer may speak at any time.
            if code == 0, catena_easy_get_long(easy, CurlLibrary.Info.httpVersion) <= 2 {
                if transfer.seat.freedom == .whenKnown { origins.noteExclusive(transfer.origin) }
                let port = catena_easy_get_long(easy, CurlLibrary.Info.localPort)
                // libcurl may have given the connection to the next transfer before it tells that this one is done.
                let isUsed = users[port].map { $0 != ObjectIdentifier(transfer) } ?? false
                poller.watchIdle(catena_easy_get_socket(easy, CurlLibrary.Info.activeSocket), port: port, isUsed: isUsed)
            }
            transfer.complete(code: code)
            remove(transfer, easy)
        }
    }
}
#endif
