import CatenaPlatform

/// The options of one call, resolved from its layers when it begins: the call's own, its rule's, its tag's, the client's defaults, the library's.
///
/// A new option is one line here, with the library's value. Steps of ``RequestSteps`` and properties of ``Profile`` set it in an ``OptionLayer``.
package struct CallConfiguration: Sendable {
    // The request.
    var defaultMethod: HTTPMethod?
    package var encoding = ParameterEncoding.json
    package var parameterStyle = ParameterStyle()
    /// The changes of the call to ``parameterStyle``, or to the tag's style.
    var styleChanges: [@Sendable (inout ParameterStyle) -> Void] = []
    var commonParams = CommonParams.query
    var commonHeaders: CommonHeaders?
    var encoder = JSONEncoder()
    package var isAuthenticated = true
    var idempotencyKey: IdempotencyKey?
    var sendsTraceparent = false

    // The response.
    var envelope = Envelope.standard
    var unwrap: Unwrap?
    var decoding = Decoding.strict
    var decoder = JSONDecoder()
    /// The accepted media types, or `nil` if all are accepted.
    var acceptedTypes: AcceptedTypes?
    /// Whether responses are decoded as property lists, whatever their media type.
    package var takesPropertyLists = false
    /// The charset of responses that specify none.
    var charset: String?
    /// Finds errors that the endpoint or the response family of this call defines.
    var errorFinder: CallErrorFinder?
    var bodyLimit = 50 * 1024 * 1024
    var downloadLimit: Int64?

    // The way of the call.
    package var timeout = Duration.seconds(60)
    var firstByteTimeout: Duration?
    var idleTimeout: Duration?
    var deadline: Duration?
    var retry = RetryPolicy.never
    var hedge: Hedge?
    var redirectLimit = 20
    package var cachePolicy = CachePolicy.protocol
    var requestKeyRules = RequestKeyRules()
    var invalidates: [Path] = []
    var dedupe = false
    /// Whether the call joins an identical active one, whatever its method.
    var isOnce = false
    var priority = CallPriority.normal
    /// The transport of the call, or `nil` for that of the client.
    var carrier: Carrier?

    // The parts beside request and response.
    /// The closures that the call runs before everything else. Boxed, so that a call can tell that it began in one of them.
    var before: [Box<@Sendable () async throws -> Void>] = []
    var progressObservers: [ProgressObserver] = []
    var control: TransferControl?
    package var id: String?
    /// The order by which the call replaces older calls with its id, or `nil` if it replaces none.
    var replacement: Replacement?
    /// The time in which another call can replace this one before it begins.
    var debounce: Duration?
    package var group: String?
}

extension CallConfiguration {
    /// The limits of inactivity that the transfer keeps.
    var inactivity: InactivityWatch.Limits { InactivityWatch.Limits(firstByte: firstByteTimeout, idle: idleTimeout) }

    /// Returns the configuration with the options of a stronger layer.
    func changed(by layer: OptionLayer) -> CallConfiguration {
        var configuration = self
        layer.apply(to: &configuration)
        // These options change others, so they follow the options of all layers.
        if let unwrap = configuration.unwrap { configuration.envelope = configuration.envelope.unwrapping(unwrap) }
        for change in configuration.styleChanges { change(&configuration.parameterStyle) }
        return configuration
    }
}

/// The age by which a call replaces the older calls with its id.
struct Replacement: Sendable {
    /// The number that a loop got when it began, or `nil` for the number of the call itself.
    var number: UInt64?
}
