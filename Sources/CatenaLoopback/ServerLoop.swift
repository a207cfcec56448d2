import CatenaPlatform

/// Runs the server's thread. It waits with `poll` and passes each event to its connection.
final class ServerLoop {
    /// The indexes of the mailbox and the listener. Those of the connections follow, in the order of ``connections``.
    private enum Slot {
        static let mailbox = 0
        static let listener = 1
        static let firstConnection = 2
    }

    /// The pause of accepting while the process has no free descriptor.
    private static let acceptPause: Duration = .milliseconds(10)

    private let core: ServerCore
    private let listener: ServerSocket
    private let end: ContinuousClock.Instant
    private var descriptors: [pollfd]
    private var connections: [ServerConnection] = []
    private var places: [Int: Int] = [:]
    private var deadlines: [Int: ContinuousClock.Instant] = [:]
    private var acceptResumes: ContinuousClock.Instant?
    private var isStopping = false

    init(core: ServerCore, listener: ServerSocket) {
        self.core = core
        self.listener = listener
        end = .now + core.limits.lifetime
        descriptors = [core.mailbox.wakeDescriptor, listener.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while !isStopping && .now < end {
            let count = poll(&descriptors, nfds_t(descriptors.count), timeout())
            if count > 0 {
                if descriptors[Slot.mailbox].revents != 0 { readMailbox() }
                serveReady(through: buffer)
                if descriptors[Slot.listener].revents != 0 { acceptWaiting() }
            }
            fireTimers()
        }
        listener.close()
        for connection in connections { connection.end() }
    }

    /// The time until the next timer in milliseconds, rounded up so that no timer fires early.
    private func timeout() -> Int32 {
        var next = end
        if let acceptResumes { next = min(next, acceptResumes) }
        for deadline in deadlines.values { next = min(next, deadline) }
        let left = (next - .now).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(min(left.seconds, 60) * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }

    private func readMailbox() {
        for message in core.mailbox.take() {
            switch message {
            case .stop: isStopping = true
            case .resume(let number): update(number) { $0.resume() }
            case .answer(let number, let response):
                // The client may have disconnected while the handler ran. No connection closes the stream then.
                if places[number] == nil { response.stream?.close() }
                update(number) { $0.answer(response) }
            }
        }
    }

    private func serveReady(through buffer: UnsafeMutableRawBufferPointer) {
        var slot = Slot.firstConnection
        while slot < descriptors.count {
            let ready = descriptors[slot].revents
            descriptors[slot].revents = 0
            guard ready != 0 else {
                slot += 1
                continue
            }
            let connection = connections[slot - Slot.firstConnection]
            if ready & Int16(POLLOUT) != 0 { connection.writable() }
            if ready & ~Int16(POLLOUT) != 0 && !connection.hasEnded { connection.receive(through: buffer) }
            // The last connection replaces one that ended, so the same slot is checked next.
            if update(connection) { slot += 1 }
        }
    }

    private func fireTimers() {
        guard !deadlines.isEmpty || acceptResumes != nil else { return }
        let now = ContinuousClock.now
        for (number, deadline) in deadlines where deadline <= now { update(number) { $0.timerFired() } }
        if let time = acceptResumes, time <= now {
            acceptResumes = nil
            descriptors[Slot.listener].events = Int16(POLLIN)
        }
    }

    private func acceptWaiting() {
        descriptors[Slot.listener].revents = 0
        while let socket = listener.accept() {
            guard connections.count < core.limits.connections else {
                socket.close()
                continue
            }
            let connection = ServerConnection(number: core.acceptConnection(), socket: socket, core: core)
            places[connection.number] = connections.count
            connections.append(connection)
            deadlines[connection.number] = connection.deadline
            descriptors.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
        }
        if errno == EMFILE || errno == ENFILE {
            acceptResumes = .now + Self.acceptPause
            descriptors[Slot.listener].events = 0
        }
    }

    private func update(_ number: Int, _ change: (ServerConnection) -> Void) {
        guard let place = places[number] else { return }
        change(connections[place])
        update(connections[place])
    }

    /// Updates the events and deadline of a connection, or removes it if it has ended. Returns whether it is still there.
    @discardableResult
    private func update(_ connection: ServerConnection) -> Bool {
        guard let place = places[connection.number] else { return false }
        guard !connection.hasEnded else {
            remove(connection, at: place)
            return false
        }
        deadlines[connection.number] = connection.deadline
        let reading = connection.wantsToRead ? Int16(POLLIN) : 0
        descriptors[place + Slot.firstConnection].events = connection.wantsToWrite ? reading | Int16(POLLOUT) : reading
        return true
    }

    private func remove(_ connection: ServerConnection, at place: Int) {
        let last = connections.count - 1
        if place != last {
            connections.swapAt(place, last)
            descriptors.swapAt(place + Slot.firstConnection, last + Slot.firstConnection)
            places[connections[place].number] = place
        }
        connections.removeLast()
        descriptors.removeLast()
        places[connection.number] = nil
        deadlines[connection.number] = nil
    }
}
