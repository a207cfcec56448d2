import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct BaseParametersTests {
    private let device = Device(
        app: "live", appVersion: "2.1", system: "iOS", systemVersion: "18.1.0", model: "iPhone15,2", language: "zh")

    @Test("the params and headers describe app and device, without those that have no value")
    func values() async throws {
        let reachability = ReportedReachability()
        var base = BaseParameters(device, channel: "appstore", deviceID: "d1", reachability: reachability)
        #expect(
            base.params == [
                "acceptLanguage": "zh", "os": "iOS", "osVersion": "18.1.0", "channel": "appstore", "model": "iPhone15,2",
                "deviceId": "d1", "appVersion": "2.1", "app": "live", "lang": "zh",
            ])
        base.carrier = "3"
        base.countryCode = "460"
        #expect(base.params["ispType"]?.parameterNode == "3".parameterNode)
        #expect(base.params["mcc"]?.parameterNode == "460".parameterNode)
        #expect(base.headers["Accept-Language"] == "zh" && base.headers["App-Version"] == "2.1")
        #expect(base.headers["Accept"] == "application/json")
    }

    @Test(
        "`netType` is the backend's number for the current network",
        arguments: [(NetworkStatus.Interface.wifi as NetworkStatus.Interface?, 2 as Int?), (.cellular, 1), (.wired, nil), (nil, nil)])
    func network(interface: NetworkStatus.Interface?, number: Int?) {
        let reachability = ReportedReachability(NetworkStatus(isReachable: true, interface: .other))
        let base = BaseParameters(device, reachability: reachability)
        reachability.report(NetworkStatus(isReachable: interface != nil, interface: interface))
        #expect(base.params["netType"]?.parameterNode == number?.parameterNode)
    }

    @Test("the names of the params can be changed, and a call can omit all of them")
    func calls() async throws {
        var base = BaseParameters(device)
        base.names = ["acceptLanguage": "al", "lang": "l"]
        let client = silentClient { [base] client in
            client.defaultHost = "https://example.com"
            client.commonParams { _ in base.params }
            client.commonHeaders { _ in base.headers }
        }
        let request = try await client.get("/a").preview()
        #expect(request.address.query == "al=zh&os=iOS&osVersion=18.1.0&model=iPhone15%2C2&appVersion=2.1&app=live&l=zh")
        #expect(request.headers["App-Version"] == "2.1")
        let bare = try await client.get("/a").commonParams(.none).commonHeaders(.none).preview()
        #expect(bare.address.query == nil && bare.headers["App-Version"] == nil)
    }

    @Test("`Device.current()` knows the app, the system, the model and the language")
    func current() {
        let device = Device.current()
        for text in [device.app, device.system, device.systemVersion, device.model, device.language] {
            #expect(!text.isEmpty && text != "unknown")
        }
        #expect(device.appVersion.first?.isNumber == true)
    }

    @Test("the language is that of the first preference", arguments: [(["zh-Hans-CN", "en"], "zh"), (["en_GB"], "en"), ([], "en")])
    func language(preferred: [String], language: String) {
        #expect(Device.language(of: preferred) == language)
    }
}
