/// An event that deserves attention but fails no call.
public struct DiagnosticEvent: Sendable, CustomStringConvertible {
    /// The kind of an event. Later versions may add kinds.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let name: String

        /// A call used a tag that was never configured.
        public static let unconfiguredTag = Kind(name: "unconfiguredTag")
        /// A call to another host omitted common values, the credential or the signature, which are bound to the host of its tag.
        public static let otherOrigin = Kind(name: "otherOrigin")
        /// The environment or the host overrides could not be stored, or the stored values cannot be used.
        public static let environment = Kind(name: "environment")
        /// A new credential works but could not be stored.
        public static let credentialStore = Kind(name: "credentialStore")
        /// The store that several machines share cannot be used, so this machine continues with its own state. Reported once for each outage. An
        /// outage ends when an operation succeeds and none has failed for five seconds.
        public static let sharedStore = Kind(name: "sharedStore")
        /// A response classified as a success looks like a failure.
        public static let unrecognizedFailure = Kind(name: "unrecognizedFailure")
        /// A response classified as a failure has a message that reads like a success.
        public static let unrecognizedSuccess = Kind(name: "unrecognizedSuccess")
        /// A step of a request has no effect, such as `cache(_:)` on a POST, or ``Client/sessions(of:)`` without an ``Authentication``.
        public static let ineffectiveStep = Kind(name: "ineffectiveStep")
        /// A call with ``Request/values(of:)`` has given its cached value, and the server has failed.
        public static let unrefreshedValue = Kind(name: "unrefreshedValue")
        /// A type whose members are all optional was decoded from a response that has none of its keys.
        public static let noKeysFound = Kind(name: "noKeysFound")
        /// An endpoint stores a member with the name of a setting, such as a number `timeout`, which is sent as a param.
        public static let endpointMember = Kind(name: "endpointMember")
        /// The pages of a list do not begin with the first one, or end before the last item.
        public static let incompleteList = Kind(name: "incompleteList")
        /// A rules file from a server contains something that this version does not support.
        public static let rules = Kind(name: "rules")
        /// `URLSession` replaces a missing or unsuitable libcurl, or the transport lacks a feature or ignores a setting.
        public static let transportFallback = Kind(name: "transportFallback")

        public var description: String { name }

        /// The section of the guides about the kind, such as `Docs/Diagnostics.md#unconfiguredtag`.
        public var page: String { "Docs/Diagnostics.md#\(name.lowercased())" }
    }

    /// The kind of the event.
    public let kind: Kind
    /// A description of the event for developers.
    public let message: String

    /// The message, and the section of the guides about it.
    public var description: String { "Catena: \(message) (\(kind.page))" }
}

/// The subject of an event that is reported once.
package enum ReportKey: Hashable, Sendable {
    case tag(Tag?)
    case type(ObjectIdentifier)
    case setting(String)
}

/// Delivers diagnostic events to the registered handler.
package final class Diagnostics: Sendable {
    private let clock: any CallClock
    private let random: @Sendable () -> Double
    private let outages = Mutex(StoreOutages())
    /// The keys that have been reported, by kind.
    private let reported = Mutex<[DiagnosticEvent.Kind: Set<ReportKey>]>([:])
    private let handler = Mutex<(@Sendable (DiagnosticEvent) -> Void)?>(nil)
    /// Receives each event besides the handler.
    private let watcher = Mutex<(@Sendable (DiagnosticEvent) -> Void)?>(nil)

    /// Returns the secrets that the client knows by their value.
    private let known = Mutex<@Sendable () -> [KnownSecrets]> { [] }

    init(clock: any CallClock, random: @escaping @Sendable () -> Double) { (self.clock, self.random) = (clock, random) }

    func setHandler(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        var former: (@Sendable (DiagnosticEvent) -> Void)? = handler
        self.handler.withLock { swap(&$0, &former) }
        // Release the former handler outside of the lock, because this may run code of the app.
        withExtendedLifetime(former) {}
    }

    /// Passes each event to a closure too, whether there is a handler or not.
    package func watch(_ watcher: @escaping @Sendable (DiagnosticEvent) -> Void) { self.watcher.withLock { $0 = watcher } }

    /// Hides these secrets in the messages. An event need not belong to a tag, so those of all tags are searched for.
    func hide(_ known: @escaping @Sendable () -> [KnownSecrets]) { self.known.withLock { $0 = known } }

    package func report(_ kind: DiagnosticEvent.Kind, _ message: String) {
        let secrets = known.withLock { $0 }()
        let shown = secrets.reduce(message) { message, known in known.hidden(in: message) ?? message }
        // The message contains tag names and texts of servers, whose control characters could forge a line or control a terminal.
        let event = DiagnosticEvent(kind: kind, message: Redaction.unbroken(shown))
        watcher.withLock { $0 }?(event)
        if let handler = handler.withLock({ $0 }) {
            handler(event)
        } else {
            StandardError.write(line: event.description)
        }
    }

    /// Reports an event once for each key.
    ///
    /// - Parameter message: Returns the message, or `nil` if there is nothing to report. It does not run after the report.
    package func report(_ kind: DiagnosticEvent.Kind, once key: ReportKey, _ message: () -> String?) {
        guard !reported.withLock({ $0[kind]?.contains(key) == true }), let message = message() else { return }
        guard reported.withLock({ $0[kind, default: []].insert(key).inserted }) else { return }
        report(kind, message)
    }

    /// The watch for operations of shared stores, which reports the first failure of each store's outage.
    var outageHandler: OutageHandler {
        OutageHandler(clock: clock, random: random) { [self] store, error in
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
