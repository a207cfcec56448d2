/// The params and headers by which many backends want to know who calls: language, system, model, network, channel and version.
///
/// ```swift
/// let base = BaseParameters(.current(), channel: "appstore", deviceID: deviceID, reachability: reachability)
/// API.commonParams { tag in tag == .live ? base.params : [:] }
/// API.commonHeaders { tag in base.headers }
/// ```
///
/// A call leaves them out with `commonParams(.none)` and `commonHeaders(.none)`, or sends the params with its own by
/// `commonParams(.merged)`.
public struct BaseParameters: Sendable {
    public var device: Device
    /// Where the app was got from.
    public var channel: String?
    /// What tells this installation from others.
    public var deviceID: String?
    /// The carrier's number, as the backend counts them.
    public var carrier: String?
    /// The country's number in mobile networks (MCC).
    public var countryCode: String?
    /// Says what network there is; without one it is not told.
    public var reachability: (any Reachability)?
    /// The numbers that the backend has for networks; one that has none is not told.
    public var networkNumbers: [NetworkStatus.Interface: Int] = [.cellular: 1, .wifi: 2]
    /// Other names for the params, by the usual ones: `["deviceId": "did"]`.
    public var names: [String: String] = [:]

    public init(
        _ device: Device,
        channel: String? = nil,
        deviceID: String? = nil,
        carrier: String? = nil,
        countryCode: String? = nil,
        reachability: (any Reachability)? = nil
    ) {
        self.device = device
        self.channel = channel
        self.deviceID = deviceID
        self.carrier = carrier
        self.countryCode = countryCode
        self.reachability = reachability
    }

    /// The params of this moment: `acceptLanguage`, `os`, `osVersion`, `netType`, `ispType`, `channel`, `model`, `deviceId`,
    /// `appVersion`, `app`, `lang` and `mcc`, those without a value left out.
    public var params: Params {
        let usual: Params = [
            "acceptLanguage": device.language,
            "os": device.system,
            "osVersion": device.systemVersion,
            "netType": reachability?.status.interface.flatMap { networkNumbers[$0] },
            "ispType": carrier,
            "channel": channel,
            "model": device.model,
            "deviceId": deviceID,
            "appVersion": device.appVersion,
            "app": device.app,
            "lang": device.language,
            "mcc": countryCode,
        ]
        if names.isEmpty { return usual }
        return Params(usual.members.map { Params.Member(key: names[$0.key] ?? $0.key, node: $0.node) })
    }

    /// `Accept`, `Accept-Language` and `App-Version`. `Content-Type` and `Accept-Encoding` are not among them: the body and the transport know
    /// what to say there.
    public var headers: HTTPHeaders {
        ["Accept": "application/json", "Accept-Language": device.language, "App-Version": device.appVersion]
    }
}
