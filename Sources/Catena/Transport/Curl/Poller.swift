#if os(Linux)
import CCurl
import Glibc

/// Waits for sockets, one timer and wake-ups, with epoll. Used by the loop's thread only, but for ``wake()``.
///
/// Everything is level-triggered and non-blocking: a timer that is disarmed in the same batch of events in which it fired must not
/// block the read that follows.
final class Poller {
    enum Event {
        case wakeUp
        case timer
        case socket(Int32, events: Int32)
    }

    private enum Watch {
        /// libcurl waits for it.
        case active
        /// A kept connection on which nothing may arrive: whatever does would be taken for the next answer.
        case idle
    }

    private let epoll: Int32
    private let eventDescriptor: Int32
    private let timerDescriptor: Int32
    private var watches: [Int32: Watch] = [:]
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        timerDescriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        guard epoll >= 0, eventDescriptor >= 0, timerDescriptor >= 0,
            control(EPOLL_CTL_ADD, eventDescriptor, EPOLLIN.rawValue), control(EPOLL_CTL_ADD, timerDescriptor, EPOLLIN.rawValue)
        else {
            close()
            return nil
        }
    }

    func close() {
        for descriptor in [epoll, eventDescriptor, timerDescriptor] where descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Ends a wait. From any thread.
    func wake() {
        _ = eventfd_write(eventDescriptor, 1)
    }

    /// Waits until something happens, and hands it out.
    func wait(_ handle: (Event) -> Void) {
        let count = events.withUnsafeMutableBufferPointer { epoll_wait(epoll, $0.baseAddress, Int32($0.count), -1) }
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let descriptor = event.data.fd
            if descriptor == eventDescriptor {
                var value: eventfd_t = 0
                _ = eventfd_read(eventDescriptor, &value)
                handle(.wakeUp)
            } else if descriptor == timerDescriptor {
                var expirations: UInt64 = 0
                if read(timerDescriptor, &expirations, 8) == 8 { handle(.timer) }
            } else {
                // A socket that was closed by an earlier event of this batch is not watched any more.
                switch watches[descriptor] {
                case .active: handle(.socket(descriptor, events: Self.curlEvents(event.events)))
                case .idle: discard(descriptor)
                case nil: break
                }
            }
        }
    }

    // MARK: What libcurl asks for

    /// Watches a socket as libcurl says: 1 to read, 2 to write, 3 both, 4 not any more.
    func watch(_ socket: Int32, for what: Int32) {
        // libcurl lets go of a socket in other cases too: while a transfer is paused, or when it has been closed already.
        guard what != 4 else { return unwatch(socket) }
        watches[socket] = .active
        register(socket, (what & 1 != 0 ? EPOLLIN.rawValue : 0) | (what & 2 != 0 ? EPOLLOUT.rawValue : 0))
    }

    /// Watches a connection that is kept for later and on which nothing may arrive until then.
    func watchIdle(_ socket: Int32) {
        guard socket >= 0, watches[socket] == nil else { return }
        watches[socket] = .idle
        register(socket, EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
    }

    /// Forgets a socket that is about to be closed.
    func forget(_ socket: Int32) {
        unwatch(socket)
    }

    /// Fires once after so many milliseconds; -1 is never.
    func setTimer(_ milliseconds: Int) {
        var time = itimerspec()
        if milliseconds >= 0 {
            time.it_value.tv_sec = milliseconds / 1000
            // Zero would disarm the timer.
            time.it_value.tv_nsec = milliseconds == 0 ? 1 : milliseconds % 1000 * 1_000_000
        }
        _ = timerfd_settime(timerDescriptor, 0, &time, nil)
    }

    // MARK: epoll

    private func register(_ socket: Int32, _ mask: UInt32) {
        if !control(EPOLL_CTL_MOD, socket, mask) { _ = control(EPOLL_CTL_ADD, socket, mask) }
    }

    private func unwatch(_ socket: Int32) {
        if watches.removeValue(forKey: socket) != nil { _ = control(EPOLL_CTL_DEL, socket, 0) }
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
        while recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        _ = shutdown(socket, Int32(SHUT_RDWR))
        unwatch(socket)
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
