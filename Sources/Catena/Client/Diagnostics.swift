import Foundation

/// Something that deserves attention but fails no call.
public struct DiagnosticEvent: Sendable, CustomStringConvertible {
    /// The sort of an event. More may come.
    public struct Kind: Hashable, Sendable {
        /// The name of the kind.
        public let name: String

        /// A call used a tag that was never configured.
        public static let unconfiguredTag = Kind(name: "unconfiguredTag")
        /// A call to a host of its own went without what belongs to the host of its tag.
        public static let otherOrigin = Kind(name: "otherOrigin")
        /// The chosen environment could not be stored, or what is stored is of no use.
        public static let environment = Kind(name: "environment")
        /// A new credential works but could not be stored.
        public static let credentialStore = Kind(name: "credentialStore")
        /// What several machines have in common cannot be reached: each goes on with what it has itself. Reported once, and again only if it could be
        /// reached in between and nothing has failed for five seconds.
        public static let sharedStore = Kind(name: "sharedStore")
        /// A response that passes for a success looks like a failure.
        public static let unrecognizedFailure = Kind(name: "unrecognizedFailure")
        /// A type of nothing but optionals was decoded from a response that has none of its keys.
        public static let noKeysFound = Kind(name: "noKeysFound")
        /// An endpoint sends a number as a param whose name is that of a setting, such as `timeout`.
        public static let endpointMember = Kind(name: "endpointMember")
        /// The pages of a list do not begin with the first one, or end before the last item.
        public static let incompleteList = Kind(name: "incompleteList")
        /// A file of rules from a server has something that this version does not know.
        public static let rules = Kind(name: "rules")
        /// The platform's own transport could not be used and another one has taken its place.
        public static let transportFallback = Kind(name: "transportFallback")
    }

    /// The sort of the event.
    public let kind: Kind
    /// What happened, in words for a developer.
    public let message: String

    public var description: String { "Catena: \(message)" }
}

/// Hands diagnostic events to whoever listens.
final class Diagnostics: Sendable {
    private let clock: any CallClock
    private let random: @Sendable () -> Double
    private let outages = Mutex(StoreOutages())
    private let handler = Mutex<(@Sendable (DiagnosticEvent) -> Void)?>(nil)

    init(clock: any CallClock, random: @escaping @Sendable () -> Double) { (self.clock, self.random) = (clock, random) }

    func setHandler(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        let former = self.handler.withLock { current in
            let former = current
            current = handler
            return former
        }
        _ = consume former
    }

    func report(_ kind: DiagnosticEvent.Kind, _ message: String) {
        // Names of tags and words of servers are in it, which could look like another line or steer a terminal.
        let event = DiagnosticEvent(kind: kind, message: Redaction.unbroken(message))
        if let handler = handler.withLock({ $0 }) {
            handler(event)
        } else {
            FileHandle.standardError.write(Data((event.description + "\n").utf8))
        }
    }

    /// Reports the first failure of several.
    var sharedWatch: SharedWatch {
        SharedWatch(clock: clock, random: random) { [self] store, error in
            let isNews = outages.withLock { outages in
                if error != nil { return outages.noteFailure(of: ObjectIdentifier(store), at: clock.now) }
                if !outages.isEmpty { outages.noteSuccess(of: ObjectIdentifier(store), at: clock.now) }
                return false
            }
            guard isNews, let error else { return }
            report(
                .sharedStore,
                "The shared store cannot be used, so that this machine goes on with what it has itself: \(APIError.wrapping(error)).")
        }
    }
}
