#if os(Linux) && canImport(Glibc)
import CCurl
import Glibc

/// Waits for sockets, a timer and wake-ups, with epoll. Used by the loop's thread only, but for ``wake()``.
///
/// Everything is non-blocking, and a socket stays registered for as long as it is open: most requests on a kept connection need no system
/// call here but the wait itself, or the looks in place of one. Sockets are level-triggered. Wake-ups are edge-triggered: each is an event of
/// its own, and the counter behind them, which 64 bits never fill, need not be read.
///
/// What changes with each transfer is not checked for overlapping accesses: each is a statement that reads or writes, and calls nothing that
/// comes back here.
final class Poller {
    enum Event {
        case wakeUp
        case socket(Int32, events: Int32)
    }

    /// A registered socket.
    private struct Watch {
        enum Purpose {
            /// libcurl waits for it.
            case active
            /// A kept connection on which nothing may arrive: whatever does would be taken for the next response.
            case idle
            /// Nobody waits for it at the moment.
            case released
        }

        var purpose = Purpose.released
        /// What the kernel has been told to look for; nothing before it is told anything.
        var mask: UInt32 = 0
        /// Whether we opened it and are told before it is closed. libcurl has sockets of its own for looking names up.
        var isOwnedByLoop = false
        /// The connection that has carried a request over it; `nil` before the first one.
        var connection: CurlConnection?
    }

    private let epoll: Int32
    private let eventDescriptor: Int32
    @exclusivity(unchecked) private var watches = DescriptorTable<Watch>()
    /// The connections whose sockets are open.
    @exclusivity(unchecked) private var connections = CurlConnections()
    /// When libcurl's timer fires, in milliseconds of the monotonic clock; 0 is at once.
    @exclusivity(unchecked) private var deadline: Int?
    /// When the loop wants to be woken whatever happens, likewise.
    @exclusivity(unchecked) private var alarm: Int?
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    @exclusivity(unchecked) private(set) var history = WaitHistory()

    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard epoll >= 0, eventDescriptor >= 0 else { return nil }
        guard control(EPOLL_CTL_ADD, eventDescriptor, EPOLLIN.rawValue | EPOLLET.rawValue) else { return nil }
    }

    /// Not before, since a wake-up may come while the thread ends.
    deinit {
        for descriptor in [epoll, eventDescriptor] where descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Ends a wait. From any thread.
    func wake() {
        _ = eventfd_write(eventDescriptor, 1)
    }

    /// Waits until something happens or the timer is due, and hands out what happened.
    ///
    /// - Parameter mayStayAwake: Whether a wait that is expected to be brief is spent looking again and again.
    func wait(mayStayAwake: Bool = false, _ handle: (Event) -> Void) {
        let patience = patience
        let count = mayStayAwake && patience != 0 ? waitAwake() : look(patience)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let descriptor = event.data.fd
            if descriptor == eventDescriptor {
                handle(.wakeUp)
            } else if let watch = watches[descriptor] {
                // A socket that was closed by an earlier event of this batch is not watched any more.
                switch watch.purpose {
                case .active: handle(.socket(descriptor, events: Self.curlEvents(event.events)))
                case .idle: discard(descriptor)
                // It would be reported again and again.
                case .released: rest(descriptor)
                }
            }
        }
    }

    /// Notes that a transfer is over.
    func noteEnd() { history.noteEnd() }

    /// Looks again and again for as long as a brief wait takes, if one is expected, and only then waits for what may come.
    private func waitAwake() -> Int32 {
        let start = Self.microseconds
        var count: Int32 = 0
        if history.isWorthStayingAwake {
            count = look(0)
            while count == 0, Self.microseconds - start < WaitHistory.briefWait {
                // Threads that wait for this processor go first.
                sched_yield()
                count = look(0)
            }
        }
        if count == 0 { count = look(patience) }
        history.note(Self.microseconds - start)
        return count
    }

    /// How many milliseconds are left until the timer or the alarm; -1 with neither.
    private var patience: Int32 {
        let end = min(deadline ?? .max, alarm ?? .max)
        return end == .max ? -1 : end == 0 ? 0 : Int32(clamping: max(0, end - Self.now))
    }

    /// Gives how many events there are now in `events`; waits for the first of them up to so many milliseconds, without end if negative.
    private func look(_ patience: Int32) -> Int32 {
        events.withUnsafeMutableBufferPointer { epoll_wait(epoll, $0.baseAddress, Int32($0.count), patience) }
    }

    /// Whether the timer has fired; it does so once.
    func takeTimer() -> Bool {
        guard let deadline, deadline == 0 || deadline <= Self.now else { return false }
        self.deadline = nil
        return true
    }

    /// Wakes the loop after so many nanoseconds, in place of what was asked for before.
    func setAlarm(after nanoseconds: Int64) {
        // Rounded up: a millisecond too late is better than a round for nothing.
        alarm = Self.now + Int(max(0, nanoseconds) / 1_000_000) + 1
    }

    /// Whether the alarm has gone off; it does so once.
    func takeAlarm() -> Bool {
        guard let alarm, alarm <= Self.now else { return false }
        self.alarm = nil
        return true
    }

    // MARK: What libcurl asks for

    /// Notes a socket that has just been opened.
    func opened(_ socket: Int32) {
        watches[socket] = Watch(isOwnedByLoop: true)
    }

    /// Watches a socket as libcurl says: 1 to read, 2 to write, 3 both, 4 not any more.
    func watch(_ socket: Int32, for what: Int32) {
        // libcurl lets go of a socket while a transfer is paused, when it is over, or when the socket has been closed already.
        guard what != 4 else {
            if watches[socket]?.isOwnedByLoop == false { return unregister(socket) }
            watches[socket]?.purpose = .released
            return
        }
        register(socket, .active, (what & 1 != 0 ? EPOLLIN.rawValue : 0) | (what & 2 != 0 ? EPOLLOUT.rawValue : 0))
    }

    // MARK: Connections

    /// The connection with this key; `nil` if none has carried a request yet.
    func connection(_ key: UInt64) -> CurlConnection? { connections[key] }

    /// Adds a connection on which the first request is about to be written.
    func add(_ connection: CurlConnection) {
        connections.add(connection)
        watches[connection.socket]?.connection = connection
    }

    /// Notes that a transfer is about to use a connection: from now on bytes are what it waits for. libcurl need not say so, if they come at
    /// once and are so many that it pauses.
    func willUse(_ socket: Int32) {
        if watches[socket]?.purpose == .idle { watches[socket]?.purpose = .released }
    }

    /// Watches a connection that is kept for later and on which nothing may arrive until then.
    func watchIdle(_ socket: Int32) {
        guard let watch = watches[socket], watch.isOwnedByLoop, watch.purpose != .active else { return }
        register(socket, .idle, EPOLLIN.rawValue)
    }

    /// Whether something has arrived, or the peer has gone, on a kept connection: a last look before it is used, since the wait in which it
    /// would have been noticed may not have come yet.
    func hasStrayBytes(on socket: Int32) -> Bool {
        guard let watch = watches[socket], watch.purpose != .active else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Whether the peer has closed a kept connection, behind whatever it has sent before. On HTTP/2 it may send at any time.
    func isClosedByPeer(_ socket: Int32) -> Bool {
        guard watches[socket] != nil else { return false }
        var look = pollfd(fd: socket, events: Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue), revents: 0)
        return poll(&look, 1, 0) > 0
    }

    /// Forgets a socket that is about to be closed.
    func forget(_ socket: Int32) {
        if let connection = watches[socket]?.connection {
            connections.remove(connection)
            connection.retire()
        }
        unregister(socket)
    }

    /// Fires once after so many milliseconds; -1 is never.
    func setTimer(_ milliseconds: Int) {
        // One more than asked for, since the present millisecond has begun already.
        deadline = milliseconds < 0 ? nil : milliseconds == 0 ? 0 : Self.now + milliseconds + 1
    }

    /// In milliseconds.
    private static var now: Int { Int(microseconds / 1000) }

    /// Of the monotonic clock.
    private static var microseconds: Int64 {
        var time = timespec()
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    // MARK: epoll

    private func register(_ socket: Int32, _ purpose: Watch.Purpose, _ mask: UInt32) {
        var watch = watches[socket] ?? Watch()
        let isNew = watch.mask != mask
        let operation = watch.mask == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        watch.purpose = purpose
        watch.mask = mask
        watches[socket] = watch
        if isNew { _ = control(operation, socket, mask) }
    }

    /// Stops looking at a socket that stays open.
    private func rest(_ socket: Int32) {
        watches[socket]?.mask = 0
        _ = control(EPOLL_CTL_DEL, socket, 0)
    }

    private func unregister(_ socket: Int32) {
        guard watches[socket] != nil else { return }
        watches[socket] = nil
        _ = control(EPOLL_CTL_DEL, socket, 0)
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ mask: UInt32) -> Bool {
        var event = epoll_event()
        event.events = mask
        event.data.fd = descriptor
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    /// Empties an idle connection on which something arrived, and shuts it down: libcurl finds it dead when it looks at it next.
    private func discard(_ socket: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        // A peer that goes on sending is not listened to for ever; the look before the next use finds what is left.
        for _ in 0..<64 where recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { break }
        _ = shutdown(socket, Int32(SHUT_RDWR))
        rest(socket)
    }

    private static func curlEvents(_ mask: UInt32) -> Int32 {
        var events: Int32 = 0
        if mask & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { events |= 1 }
        if mask & EPOLLOUT.rawValue != 0 { events |= 2 }
        if mask & EPOLLERR.rawValue != 0 { events |= 4 }
        return events
    }
}
#endif
