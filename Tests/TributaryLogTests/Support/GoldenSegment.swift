import Testing

/// The golden segments and what they are held to; `Golden/README.md` says what each is for.
struct GoldenSegment: CustomTestStringConvertible, Sendable {
  /// Without the suffix.
  var name: String
  /// The SHA-256 of the segment, and of the JSON beside it.
  var digests: [String]

  init(_ name: String, _ digests: String...) {
    self.name = name
    self.digests = digests
  }

  var testDescription: String { name }

  /// A digest never changes. Who finds that one does not match has changed a file that other people's
  /// files look like.
  static let all = [
    // The worked example.
    GoldenSegment(
      "0000000000000029-000000000000002a-dadfb7e65bbb5b65",
      "4bae63660f4583ef6ee2187b5a364d5be7ef4bb5c6b723349cf53b506ad0c000",
      "7252e743d2abebbe18b81eab1019ee624fff8c7f142c3db01902581f0c889147"),
    // Integers.
    GoldenSegment(
      "0000000000000001-0000000000000001-b15bc29d89a41ebb",
      "0cc04b3e195a0fb3ccbff4b9d25a463bb8fd08e7c486f88f093ba70f07e9ccbf",
      "e4fea4740d4514074d1802287c10b0c7b14ab068ad2ea00cc85052d3ea0a4edf"),
    // Values.
    GoldenSegment(
      "0000000000000001-0000000000000001-69af7e8fa1c48d88",
      "93fafd9a70f6877c89cd2e30a46defc847cb7740d3a2eab4d2b864f3d591b5e3",
      "a0cf6acd880aa704d4fc13d603f28efb54c2c18618620159c79bde46e8e54030"),
    // Operations.
    GoldenSegment(
      "0000000000000005-0000000000000009-6eae8bb57214431f",
      "abe68ce80453e3b1a674db1998b3f4eb2fb349a02deb5aa8f164d8c2bda6d323",
      "cdd0ed5dc6a356d70d89a0bbb751f25b76cf112be290e10dd176d66f1489cf32"),
    // Keys.
    GoldenSegment(
      "0000000000000001-0000000000000001-ffe6e41c44a27e47",
      "24c57c5f4792e14d06e1d3ff2b44bd83c0b7c9a662398b7dc12934acc900b7b4",
      "e64d136ccad00c9bbb59a8c5fd191866a42dd8cc66f91676d9632897962d44f1"),
    // Definitions.
    GoldenSegment(
      "0000000000000001-0000000000000003-3d3692f585c1e192",
      "91c974f6629451cfed797e384f249dff793037686dd8ac2f944d7c51b651c1c5",
      "ccbc5e6d758efccfc15aad46cdb23485543fccaac42c8d36c113ba713a39e4f0"),
    // Knowledge.
    GoldenSegment(
      "7ffffffffffffffc-7fffffffffffffff-9b90d47ea799088e",
      "78b5d3726c64f43a077f32d3a3f1f50c79e74889e23b288c4e0de4a6242b1ec1",
      "e3fd98499ab9b68b6cfe34690204a04f69a813333c3149256df86e1fe2ce7a1d"),
    // Basis.
    GoldenSegment(
      "0000000000000001-0000000000000005-cebe518f0e829155",
      "b984a034489706656c10cf628e51681dfc77f3cc0f0a346935078365490fdf2e",
      "d4e1d658d0a292e2fcae89defb7878e8e78be57ec532fda362a28ee81667bf7d"),
    // Stamps.
    GoldenSegment(
      "0000000000000001-0000000000000008-c132f1f1c85f0385",
      "2778b41b4d5271fcf01c68319c340d501ab93fa0a9e704c1ff28fd16642ff236",
      "ddf61a6df8a2c28efc0c756c484a19fd953940acb4a7d00a1f952961db359c31"),
    // Blocks.
    GoldenSegment(
      "0000000000000001-0000000000000004-0e8c1934ed497523",
      "e325da81837fd3555011d5600fb346edf2a3ef180df45d657ac31b3721c76cc6",
      "d504291ad33738d17aad456c10ef943205de5238f2fd08725e5b571540e78274"),
    // Blocks, compressed more strongly.
    GoldenSegment(
      "0000000000000001-0000000000000004-f37f276499295a4a",
      "7afd9ad48babe28983df60db776fc2d7109525814b5d8b71f56dde046b03469e",
      "d504291ad33738d17aad456c10ef943205de5238f2fd08725e5b571540e78274"),
    // A newer minor version.
    GoldenSegment(
      "0000000000000001-0000000000000001-122f27e8001ed474",
      "65200954c84d042696cf1dcac31b38c759b8cdceaab50d3966418721dbc8d20d",
      "77021d8cd26ae7826e5fcd9fd92d152c1a19aea1de02c084e759f324cc217714"),
    // Longer forms.
    GoldenSegment(
      "0000000000000001-0000000000000001-bc5cf26d334f25ab",
      "825a21e75b072571acc953095e49dce2b94914addeb4ea04da8a7ba87ad61d51",
      "fd098b488c380889939a361c58105fcc941cdd96b7dba19d4784997678f7a138"),
    // What is above a horizon, in version 1.1.
    GoldenSegment(
      "0000000000000006-0000000000000008-bf1b19ab1ced8571",
      "850f9293f1d0e09a33f4ababa0561e018e1c1b8907502fc2fb3c67d9c21bdc3e",
      "fa0a104eb49a595f3c16cf96e9cb965f3bd8425ccd9dcb83a39b924908d6a354"),
    // Nothing above a horizon.
    GoldenSegment(
      "0000000000000006-0000000000000006-70f76fd1d8c50e52",
      "59f941e0049977f18771730ca583576ba6005186768036429a441da3e081b879",
      "3294195523fbc78248fc379be88d7754ee447545bba9693eee57b70d27cd9359"),
    // A horizon in a newer minor version.
    GoldenSegment(
      "0000000000000006-0000000000000006-db7602a60686b91b",
      "6a69ed63fd8e4b9383fa4b380f6a8f78d942cf81e45d6cd2a4dc8507b0af01c4",
      "3294195523fbc78248fc379be88d7754ee447545bba9693eee57b70d27cd9359"),
    // Version 1.1: peers by their position.
    GoldenSegment(
      "0000000000000006-0000000000000008-f9452e302b20f441",
      "874a4521a1dac84596b4f985f241727d363a0a527abf8556825ed67ece6227d0",
      "d14aa3fdd82e0a936b3a8d3536ac479f9a202615e56f6f3d9d277f9339bf8ddf"),
  ]
}
