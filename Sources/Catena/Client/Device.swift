public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What an app and the device on which it runs are called.
public struct Device: Sendable, Equatable {
    /// The name of the app.
    public var app: String
    /// The version of the app.
    public var appVersion: String
    /// The operating system, such as `iOS`.
    public var system: String
    public var systemVersion: String
    /// The model as its maker numbers it, such as `iPhone15,2`; the kind of processor where models have no number.
    public var model: String
    /// The language that the user prefers, such as `zh` or `en`.
    public var language: String

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
