// Shows the dashboard while its backends fail. Exits with 0 if each tile is as expected.
import Catena
import CatenaTesting
import Viewer

let viewer = Viewer()
let backends = try DashboardBackends()
let dashboard = Dashboard(sales: backends.sales.url, stock: backends.stock.url, weather: backends.weather.url)

viewer.see("sales", await dashboard.revenue(), expected: "42 sold today")
// The backend fails now. The failures of three attempts open the circuit breaker.
viewer.see("sales, failing", await dashboard.revenue(), expected: "42 sold today")
viewer.see("breaker", dashboard.client.circuitBreakerStatus(of: .sales) == .open ? "open" : "not open", expected: "open")
viewer.see("sales, behind the open breaker", await dashboard.revenue(), expected: "42 sold today")
viewer.see("requests to sales", "\(backends.sales.requestCount)", expected: "4")

// A wait of 30 seconds does not fit into the deadline of 2 seconds.
viewer.see("weather", await dashboard.outlook(), expected: "Try again in 30 seconds")
viewer.see("requests to the weather", "\(backends.weather.requestCount)", expected: "1")

viewer.see("stock", await dashboard.parts(), expected: "In stock: bolt nut gear")
viewer.see("shortages", await dashboard.shortages(), expected: "Not available (protocolViolation)")
// Each of four pages has a session, and no call for a session has one.
let sessions = backends.stock.requests.filter { $0.path == "/sessions" }
viewer.see(
    "sessions", "\(sessions.count), \(sessions.count { $0.headers.contains("X-Session") }) with a session", expected: "4, 0 with a session")
viewer.finish()
