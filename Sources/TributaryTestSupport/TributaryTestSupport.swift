// TributaryTestSupport: tests of applications.
//
// `TestFleet` is some devices whose stores share a container, with the delivery between them, their clocks and their
// crashes under the control of the test.
@_exported import Tributary
