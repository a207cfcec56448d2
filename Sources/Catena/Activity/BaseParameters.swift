public import Foundation

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
    /// The app that calls and the device on which it runs.
    public var device: Device
    /// Where the app was got from.
    public var channel: String?
    /// Identifies this installation of the app.
    public var deviceID: String?
    /// The carrier's number, as the backend counts them.
    public var carrier: String?
    /// The country's number in mobile networks (MCC).
    public var countryCode: String?
    /// Says what network there is; without one it is not sent.
    public var reachability: (any Reachability)?
    /// The numbers that the backend has for networks; one that has none is not sent.
    public var networkNumbers: [NetworkStatus.Interface: Int] = [.cellular: 1, .wifi: 2]
    /// Other names for the params, by the usual ones: `["deviceId": "did"]`.
    public var names: [String: String] = [:]

    /// Makes the base parameters of an app.
    ///
    /// - Parameters:
    ///   - device: The app that calls and the device on which it runs.
    ///   - channel: Where the app was got from.
    ///   - deviceID: Identifies this installation of the app.
    ///   - carrier: The carrier's number, as the backend counts them.
    ///   - countryCode: The country's number in mobile networks (MCC).
    ///   - reachability: Says what network there is; without it no network is sent.
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

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

/// What an app and the device on which it runs are called.
public struct Device: Sendable, Equatable {
    /// The name of the app.
    public var app: String
    /// The version of the app.
    public var appVersion: String
    /// The operating system, such as `iOS`.
    public var system: String
    /// The version of the operating system.
    public var systemVersion: String
    /// The model as its maker numbers it, such as `iPhone15,2`; the kind of processor where models have no number.
    public var model: String
    /// The language that the user prefers, such as `zh` or `en`.
    public var language: String

    /// Makes a device from what the app and the device are called.
    public init(app: String, appVersion: String, system: String, systemVersion: String, model: String, language: String) {
        self.app = app
        self.appVersion = appVersion
        self.system = system
        self.systemVersion = systemVersion
        self.model = model
        self.language = language
    }

    /// The app that runs here.
    ///
    /// An app without a version is `1.0.0`, and its language, if none is known, `en`.
    public static func current(_ bundle: Bundle = .main) -> Device {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return Device(
            app: bundle.infoDictionary?["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName,
            appVersion: bundle.infoDictionary?["CFBundleShortVersionString"] as? String ?? "1.0.0",
            system: systemName,
            systemVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
            model: machine,
            language: language(of: Locale.preferredLanguages))
    }

    static func language(of preferred: [String]) -> String {
        preferred.first.flatMap { Locale(identifier: $0).language.languageCode?.identifier } ?? "en"
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
        // In a simulator uname(2) tells of the computer.
        if let model = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] { return model }
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &names.machine) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
