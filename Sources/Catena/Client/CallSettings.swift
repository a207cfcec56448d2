/// The settings of one call: its own options over the settings of its tag. Resolved once when the call begins.
///
/// The settings of the tag are resolved when the tag is configured.
struct CallSettings: Sendable {
    var timeout = Duration.seconds(60)
    var silence = InactivityWatch.Limits()
    var deadline: Duration?
    var retry = RetryPolicy.never
    var hedge: Hedge?
    var envelope = Envelope.standard
    var decoding = Decoding.strict
    /// The accepted media types, or `nil` if all are accepted.
    var acceptedTypes: AcceptedTypes?
    var encoding = ParameterEncoding.json
    var parameterStyle = ParameterStyle()
    var commonParams = CommonParams.query
    var cachePolicy = CachePolicy.protocol
    var dedupe = false
    /// Whether responses are decoded as property lists, whatever their media type.
    var takesPropertyLists = false
    /// Finds errors that only this call defines.
    var errorFinder: CallErrorFinder?
}

extension CallSettings {
    /// Resolves the settings of a tag's calls.
    init(_ profile: ProfileLayers, over defaults: ProfileLayers) {
        timeout = profile.timeout ?? defaults.timeout ?? timeout
        silence.firstByte = profile.firstByteTimeout ?? defaults.firstByteTimeout
        silence.idle = profile.idleTimeout ?? defaults.idleTimeout
        deadline = profile.deadline ?? defaults.deadline
        retry = profile.retry ?? defaults.retry ?? retry
        hedge = (profile.hedgeDelay ?? defaults.hedgeDelay).map { Hedge(delay: $0) }
        envelope = profile.envelope ?? defaults.envelope ?? envelope
        decoding = profile.decoding ?? defaults.decoding ?? decoding
        let types = profile.acceptedTypes ?? defaults.acceptedTypes
        acceptedTypes = types?.isEmpty == true ? nil : types.map { AcceptedTypes($0) }
        encoding = profile.encoding ?? defaults.encoding ?? encoding
        parameterStyle = profile.parameterStyle ?? defaults.parameterStyle ?? parameterStyle
        commonParams = profile.ownCommonParams ?? defaults.ownCommonParams ?? commonParams
        cachePolicy = profile.cachePolicy ?? defaults.cachePolicy ?? cachePolicy
        dedupe = profile.dedupe ?? defaults.dedupe ?? dedupe
    }

    /// Resolves the settings of one call.
    static func of(_ request: Request, over profile: ResolvedProfile) -> CallSettings {
        var settings = profile.settings
        let ownHeaders = request.headerChanges.set
        if !ownHeaders.isEmpty, ownHeaders.contains("Accept") { settings.acceptedTypes = nil }
        if request.hasOptions { settings.change(by: request.options) }
        return settings
    }

    private mutating func change(by options: RequestOptions) {
        timeout = options.timeout ?? timeout
        silence.firstByte = options.firstByteTimeout ?? silence.firstByte
        silence.idle = options.idleTimeout ?? silence.idle
        deadline = options.deadline ?? deadline
        retry = options.retry ?? retry
        hedge = options.hedge ?? hedge
        envelope = options.envelope ?? envelope
        decoding = options.decoding ?? decoding
        if let unwrap = options.unwrap { envelope = envelope.unwrapping(unwrap) }
        // The media types that the call accepts replace those of its tag.
        if let types = options.acceptedTypes { acceptedTypes = types }
        encoding = options.encoding ?? encoding
        parameterStyle = options.parameterStyle ?? parameterStyle
        for change in options.styleChanges { change(&parameterStyle) }
        commonParams = options.commonParams ?? commonParams
        cachePolicy = options.cachePolicy ?? cachePolicy
        dedupe = options.dedupe ?? dedupe
        takesPropertyLists = options.takesPropertyLists
        errorFinder = options.errorFinder
    }
}
