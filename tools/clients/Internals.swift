import Foundation
import Tributary

// Each line names something that the modules declare for each other, which no application sees.

_ = Connection.self  // expected-error {{cannot find 'Connection' in scope}}
_ = Statement.self  // expected-error {{cannot find 'Statement' in scope}}
_ = RowSource.self  // expected-error {{cannot find 'RowSource' in scope}}
_ = LocalStore.self  // expected-error {{cannot find 'LocalStore' in scope}}
_ = Settings.self  // expected-error {{cannot find 'Settings' in scope}}
_ = TableDescription.self  // expected-error {{cannot find 'TableDescription' in scope}}
_ = MergeBatch.self  // expected-error {{cannot find 'MergeBatch' in scope}}
_ = SyncSession.self  // expected-error {{cannot find 'SyncSession' in scope}}
_ = Engine.self  // expected-error {{cannot find 'Engine' in scope}}
_ = Knowledge.self  // expected-error {{cannot find 'Knowledge' in scope}}
_ = ByteBuffer.self  // expected-error {{cannot find 'ByteBuffer' in scope}}
_ = SegmentName.self  // expected-error {{cannot find 'SegmentName' in scope}}
_ = FileSystem.self  // expected-error {{cannot find 'FileSystem' in scope}}
_ = Wording.self  // expected-error {{cannot find 'Wording' in scope}}
_ = LocalFileSystem.self  // expected-error {{cannot find 'LocalFileSystem' in scope}}

_ = "a".quotedIdentifier  // expected-error {{inaccessible}}
_ = "a".parentDirectory  // expected-error {{inaccessible}}
_ = [1 as UInt8].lowerHex  // expected-error {{inaccessible}}

func members(of store: Store, _ database: Database, _ environment: StoreEnvironment) {
  _ = store.session  // expected-error {{inaccessible}}
  _ = database.connection  // expected-error {{inaccessible}}
  _ = environment.fileSystem  // expected-error {{inaccessible}}
}
