// Runs the programs of Systems with stubs. Exits with 0 if every check succeeds.
import Foundation

let report = Report()
await report.run("XAPI", checkXAPI)
await report.run("RFAPI", checkRFAPI)
await report.run("YooMoney", checkYooMoney)
await report.run("DanXi", checkDanXi)
await report.run("Yana", checkYana)
exit(report.isRight ? 0 : 1)
