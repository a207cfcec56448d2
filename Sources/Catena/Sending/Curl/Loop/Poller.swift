#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// Waits for sockets, a timer and wake-ups with epoll. Used on the loop's thread only, except ``wake()``.
///
/// All sockets are non-blocking, and stay registered while they are open. So most requests on a reused connection need no system call here
/// except the wait, or the polls that replace it. Sockets are level-triggered. Wake-ups are edge-triggered: each is a separate event, and
/// their 64-bit counter, which never overflows, is not read.
///
/// Members that change with each transfer are not checked for overlapping accesses, because each statement that uses them calls nothing
/// that returns here.
final class Poller {
    enum Event {
        case wakeUp
        case socket(Int32, events: Int32)
    }

    /// A registered socket.
    private struct Watch {
        enum Purpose {
            /// libcurl waits for the socket.
            case active
            /// An idle connection. Bytes that arrive would be taken for the next response.
            case idle
            /// No transfer waits for the socket at the moment.
            case released
        }

        var purpose = Purpose.released
        /// The events registered with the kernel; zero if the socket is not registered.
        var mask: UInt32 = 0
        /// Whether Catena opened the socket and is notified before it is closed. libcurl has its own sockets for name lookups.
        var isOwnedByLoop = false
        /// The connection that has carried a request over the socket, or `nil` before the first request.
        var connection: CurlConnection?
    }

    private let epoll: Int32
    private let eventDescriptor: Int32
    @exclusivity(unchecked) private var watches = DescriptorTable<Watch>()
    /// The connections whose sockets are open, by key.
    @exclusivity(unchecked) private var connections: [UInt64: CurlConnection] = [:]
    /// The time at which libcurl's timer fires, in milliseconds of the monotonic clock; 0 is at once.
    @exclusivity(unchecked) private var deadline: Int?
    /// The time at which the loop wakes up in any case, in milliseconds of the monotonic clock.
    @exclusivity(unchecked) private var alarm: Int?
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    @exclusivity(unchecked) private(set) var history = WaitHistory()

    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard epoll >= 0, eventDescriptor >= 0 else { return nil }
        guard control(EPOLL_CTL_ADD, eventDescriptor, EPOLLIN.rawValue | EPOLLET.rawValue) else { return nil }
    }

    /// Close the descriptors only here, because a wake-up may arrive while the thread ends.
    deinit {
        for descriptor in [epoll, eventDescriptor] where descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Ends a wait. Callable from any thread.
    func wake() {
        _ = eventfd_write(eventDescriptor, 1)
    }

    /// Waits until an event arrives or the timer is due, and passes the events to `handle`.
    ///
    /// - Parameter mayStayAwake: Whether to poll repeatedly during a wait that is expected to be brief.
    func wait(mayStayAwake: Bool = false, _ handle: (Event) -> Void) {
        let patience = patience
        let count = mayStayAwake && patience != 0 ? waitAwake() : look(patience)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let descriptor = event.data.fd
            if descriptor == eventDescriptor {
                handle(.wakeUp)
            } else if let watch = watches[descriptor] {
                // A socket that an earlier event of this batch has closed is not watched any more.
                switch watch.purpose {
                case .active: handle(.socket(descriptor, events: Self.curlEvents(event.events)))
                case .idle: discard(descriptor)
                // Unregister the socket, because a level-triggered event would be reported repeatedly.
                case .released: rest(descriptor)
                }
            }
        }
    }

    /// Records that a transfer has ended.
    func noteEnd() { history.noteEnd() }

    /// Polls repeatedly for the duration of a brief wait if one is expected, then sleeps until an event arrives.
    private func waitAwake() -> Int32 {
        let start = Self.microseconds
        var count: Int32 = 0
        if history.isWorthStayingAwake {
            count = look(0)
            while count == 0, Self.microseconds - start < WaitHistory.briefWait {
                // Let threads that wait for this processor run first.
                sched_yield()
                count = look(0)
            }
        }
        if count == 0 { count = look(patience) }
        history.note(Self.microseconds - start)
        return count
    }

    /// The number of milliseconds until the timer or the alarm, or -1 with neither.
    private var patience: Int32 {
        let end = min(deadline ?? .max, alarm ?? .max)
        return end == .max ? -1 : end == 0 ? 0 : Int32(clamping: max(0, end - Self.now))
    }

    /// Waits up to `patience` milliseconds, forever if negative, and returns the number of events in `events`.
    private func look(_ patience: Int32) -> Int32 {
        events.withUnsafeMutableBufferPointer { epoll_wait(epoll, $0.baseAddress, Int32($0.count), patience) }
    }

    /// Returns whether the timer has fired, and clears it.
    func takeTimer() -> Bool {
        guard let deadline, deadline == 0 || deadline <= Self.now else { return false }
        self.deadline = nil
        return true
    }

    /// Sets the alarm to a number of nanoseconds from now, replacing the previous one.
    func setAlarm(after nanoseconds: Int64) {
        // Rounded up, because waking a millisecond late is better than waking for nothing.
        alarm = Self.now + Int(max(0, nanoseconds) / 1_000_000) + 1
    }

    /// Returns whether the alarm has gone off, and clears it.
    func takeAlarm() -> Bool {
        guard let alarm, alarm <= Self.now else { return false }
        self.alarm = nil
        return true
    }

    // MARK: libcurl's requests

    /// Records a socket that has just been opened.
    func opened(_ socket: Int32) {
        watches[socket] = Watch(isOwnedByLoop: true)
    }

    /// Watches a socket as libcurl requests: 1 to read, 2 to write, 3 for both, 4 to stop.
    func watch(_ socket: Int32, for what: Int32) {
        // libcurl releases a socket while a transfer is paused, when the transfer has ended, or when the socket has been closed already.
        guard what != 4 else {
            if watches[socket]?.isOwnedByLoop == false { return unregister(socket) }
            watches[socket]?.purpose = .released
            return
        }
        register(socket, .active, (what & 1 != 0 ? EPOLLIN.rawValue : 0) | (what & 2 != 0 ? EPOLLOUT.rawValue : 0))
    }

    /// Whether libcurl waits for a socket.
    func isActive(_ socket: Int32) -> Bool { watches[socket]?.purpose == .active }

    // MARK: Connections

    /// Returns the connection with this key, or `nil` if none has carried a request yet.
    func connection(_ key: UInt64) -> CurlConnection? { connections[key] }

    /// Adds a connection on which the first request is about to be written.
    func add(_ connection: CurlConnection) {
        connections[connection.key] = connection
        watches[connection.socket]?.connection = connection
    }

    /// Records that a transfer is about to use a connection, so that bytes are expected from now on. libcurl may not request the socket if
    /// the bytes arrive at once and are so many that it pauses.
    func willUse(_ socket: Int32) {
        if watches[socket]?.purpose == .idle { watches[socket]?.purpose = .released }
    }

    /// Watches an idle connection, on which nothing may arrive until it is reused.
    func watchIdle(_ socket: Int32) {
        guard let watch = watches[socket], watch.isOwnedByLoop, watch.purpose != .active else { return }
        register(socket, .idle, EPOLLIN.rawValue)
    }

    /// Returns whether bytes or the peer's close have arrived on an idle connection. Called before the connection is reused, because the
    /// wait that would report this may not have happened yet.
    func hasStrayBytes(on socket: Int32) -> Bool {
        guard let watch = watches[socket], watch.purpose != .active else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Returns whether the peer has closed an idle connection, possibly after sending data. Over HTTP/2 the peer may send data at any
    /// time.
    ///
    /// - Parameter milliseconds: The time to wait for the close.
    func isClosedByPeer(_ socket: Int32, within milliseconds: Int32 = 0) -> Bool {
        guard watches[socket] != nil else { return false }
        var look = pollfd(fd: socket, events: Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue), revents: 0)
        return poll(&look, 1, milliseconds) > 0
    }

    /// Returns the connection of a socket, or `nil` before its first request.
    func connection(on socket: Int32) -> CurlConnection? { watches[socket]?.connection }

    /// Returns the transfers whose requests are on the connection of a socket.
    func transfers(on socket: Int32) -> [CurlTransfer] { connection(on: socket)?.transfers ?? [] }

    /// Removes a socket that is about to be closed.
    func forget(_ socket: Int32) {
        if let connection = watches[socket]?.connection {
            if connections[connection.key] === connection { connections[connection.key] = nil }
            connection.retire()
        }
        unregister(socket)
    }

    /// Sets libcurl's timer to a number of milliseconds from now; -1 clears it.
    func setTimer(_ milliseconds: Int) {
        // Add one, because the current millisecond has already begun.
        deadline = milliseconds < 0 ? nil : milliseconds == 0 ? 0 : Self.now + milliseconds + 1
    }

    private static var now: Int { Int(microseconds / 1000) }

    /// The time of the monotonic clock.
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

    /// Unregisters a socket that stays open.
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

    /// Reads and discards the bytes of an idle connection, and shuts it down. libcurl finds it dead before the next use.
    private func discard(_ socket: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        // Limit the reads, because a peer may send forever. The check before the next use finds the rest.
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

/// Stores values by descriptor. An array has few gaps and needs no hashing, because the system assigns the smallest free number. Pure.
struct DescriptorTable<Value> {
    private var values: [Value?] = []

    subscript(descriptor: Int32) -> Value? {
        get {
            let index = Int(descriptor)
            return values.indices.contains(index) ? values[index] : nil
        }
        _modify {
            let index = Int(descriptor)
            if index < 0 {
                // A negative descriptor does not exist, so the value is discarded.
                var nowhere: Value?
                yield &nowhere
                return
            }
            if index >= values.count { values.append(contentsOf: repeatElement(nil, count: index + 1 - values.count)) }
            yield &values[index]
        }
    }
}
#endif
