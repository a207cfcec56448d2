#if !canImport(Darwin)
import CatenaPlatform
#else
public import CatenaPlatform
#endif

/// The params and headers by which many backends identify a caller: language, system, model, network, channel and version.
///
/// ```swift
/// let base = BaseParameters(.current(), channel: "appstore", deviceID: deviceID, reachability: reachability)
/// API.commonParams { tag in tag == .live ? base.params : [:] }
/// API.commonHeaders { tag in base.headers }
/// ```
///
/// A call omits them with `commonParams(.none)` and `commonHeaders(.none)`. With `commonParams(.merged)` it sends the params beside its own.
public struct BaseParameters: Sendable {
    /// The app and the device on which it runs.
    public var device: Device
    /// The distribution channel of the app.
    public var channel: String?
    /// The identifier of this installation of the app.
    public var deviceID: String?
    /// The number of the carrier, as the backend defines it.
    public var carrier: String?
    /// The mobile country code (MCC).
    public var countryCode: String?
    /// The source of the network type, which is not sent without one.
    public var reachability: (any Reachability)?
    /// The numbers that the backend defines for networks. A network without a number is not sent.
    public var networkNumbers: [NetworkStatus.Interface: Int] = [.cellular: 1, .wifi: 2]
    /// Replacements for param names, by the default name: `["deviceId": "did"]`.
    public var names: [String: String] = [:]

    /// Creates the base parameters of an app.
    ///
    /// - Parameters:
    ///   - device: The app and the device on which it runs.
    ///   - channel: The distribution channel of the app.
    ///   - deviceID: The identifier of this installation of the app.
    ///   - carrier: The number of the carrier, as the backend defines it.
    ///   - countryCode: The mobile country code (MCC).
    ///   - reachability: The source of the network type, which is not sent without one.
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

    /// The current params: `acceptLanguage`, `os`, `osVersion`, `netType`, `ispType`, `channel`, `model`, `deviceId`, `appVersion`, `app`,
    /// `lang` and `mcc`. Params without a value are omitted.
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

    /// The headers `Accept`, `Accept-Language` and `App-Version`. `Content-Type` and `Accept-Encoding` are missing, because the body and the
    /// transport set them.
    public var headers: HTTPHeaders {
        ["Accept": "application/json", "Accept-Language": device.language, "App-Version": device.appVersion]
    }
}

/// The names and versions of an app and of the device on which it runs.
public struct Device: Sendable, Equatable {
    /// The name of the app.
    public var app: String
    /// The version of the app.
    public var appVersion: String
    /// The operating system, such as `iOS`.
    public var system: String
    /// The version of the operating system.
    public var systemVersion: String
    /// The model identifier, such as `iPhone15,2`, or the processor architecture where models have none.
    public var model: String
    /// The preferred language of the user, such as `zh` or `en`.
    public var language: String

    /// Creates a device from its names and versions.
    public init(app: String, appVersion: String, system: String, systemVersion: String, model: String, language: String) {
        self.app = app
        self.appVersion = appVersion
        self.system = system
        self.systemVersion = systemVersion
        self.model = model
        self.language = language
    }

    #if !canImport(Darwin)
    /// Returns the running program and its device.
    ///
    /// The program has the name of its process and the version `1.0.0`. The language is `en` if none is known.
    public static func current() -> Device { current(app: nil, version: nil) }
    #else
    /// Returns the running app and its device.
    ///
    /// The version of an app without one is `1.0.0`. The language is `en` if none is known.
    public static func current(_ bundle: Bundle = .main) -> Device {
        let information = bundle.infoDictionary
        return current(
            app: information?["CFBundleName"] as? String, version: information?["CFBundleShortVersionString"] as? String)
    }
    #endif

    private static func current(app: String?, version appVersion: String?) -> Device {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return Device(
            app: app ?? ProcessInfo.processInfo.processName,
            appVersion: appVersion ?? "1.0.0",
            system: systemName,
            systemVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
            model: machine,
            language: language(of: PreferredLanguages.current))
    }

    static func language(of preferred: [String]) -> String {
        preferred.first?.split(whereSeparator: { $0 == "-" || $0 == "_" }).first?.lowercased() ?? "en"
    }

    private static var systemName: String {
        #if os(iOS)
        "iOS"
        #elseif os(macOS)
        "macOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(Linux)
        "Linux"
        #else
        "unknown"
        #endif
    }

    private static var machine: String {
        // In a simulator, uname(2) returns the processor of the computer.
        if let model = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] { return model }
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &names.machine) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
