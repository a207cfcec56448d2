import ArgumentParser
import Catena
import CatenaFleet
import Foundation
import Hummingbird
import Logging
import Overview

/// Runs the service until SIGTERM or SIGINT. Requests in progress still get their responses.
@main
struct OverviewServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "overview-service", abstract: "Merges profiles and orders.")

    @Option(help: "The port on 127.0.0.1; 0 for any that is free.")
    var port = 8080

    @Option(help: "The host of the profiles.")
    var profiles: String

    @Option(help: "The host of the orders.")
    var orders: String

    @Option(help: "How many calls to each backend may begin in a second. Machines with the same Redis share them.")
    var rate: Int?

    #if os(Linux)
    @Option(help: ArgumentHelp("The Redis that machines share, whose password is in REDIS_PASSWORD.", valueName: "host:port"))
    var redis: RedisAddress?
    #endif

    @Option(help: "The least important level that is logged.")
    var logLevel = "info"

    func run() async throws {
        var logger = Logger(label: "overview")
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
        // Your own service calls MetricsSystem.bootstrap and InstrumentationSystem.bootstrap here, with its backends.
        let backends = Backends(profiles: profiles, orders: orders, shared: shared, rate: rate, logger: logger)
        let application = OverviewService.application(backends, port: port, logger: logger) { port in
            // Written unbuffered, because the process that starts the service waits for this line.
            try? FileHandle.standardOutput.write(contentsOf: Data("port \(port)\n".utf8))
        }
        try await application.runService()
    }

    private var shared: (any SharedStore)? {
        #if os(Linux)
        redis?.store(password: ProcessInfo.processInfo.environment["REDIS_PASSWORD"])
        #else
        nil
        #endif
    }
}

#if os(Linux)
extension RedisAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
#endif
