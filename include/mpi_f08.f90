! Module `mpi_f08` of odonata: MPI 5.0 in the ABI of MPICH. Written by the test `fresh` of
! crates/mpifort; do not edit.
!
! Handles are types of one integer and `ierror` is optional, so the procedures are those of the
! module `mpi` with other declarations. The compiler copies a noncontiguous array section for the
! duration of a call (MPI_SUBARRAYS_SUPPORTED is false). If MPI keeps the buffer for longer, the
! call ends the job.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_loc, c_ptr
  use mpi, only: MPI_Status, MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, &
    MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Session, MPI_Win
  implicit none
  private :: c_loc, c_ptr, odonata_check

  integer, parameter :: MPI_STATUS_SIZE = 5
  integer, parameter :: MPI_ADDRESS_KIND = 8
  integer, parameter :: MPI_OFFSET_KIND = 8
  integer, parameter :: MPI_COUNT_KIND = 8
  integer, parameter :: MPI_INTEGER_KIND = 4
  integer, parameter :: MPI_VERSION = 5
  integer, parameter :: MPI_SUBVERSION = 0
  type(MPI_Op), parameter :: MPI_OP_NULL = MPI_Op(402653184)
  type(MPI_Op), parameter :: MPI_SUM = MPI_Op(1476395011)
  type(MPI_Op), parameter :: MPI_MIN = MPI_Op(1476395010)
  type(MPI_Op), parameter :: MPI_MAX = MPI_Op(1476395009)
  type(MPI_Op), parameter :: MPI_PROD = MPI_Op(1476395012)
  type(MPI_Op), parameter :: MPI_BAND = MPI_Op(1476395014)
  type(MPI_Op), parameter :: MPI_BOR = MPI_Op(1476395016)
  type(MPI_Op), parameter :: MPI_BXOR = MPI_Op(1476395018)
  type(MPI_Op), parameter :: MPI_LAND = MPI_Op(1476395013)
  type(MPI_Op), parameter :: MPI_LOR = MPI_Op(1476395015)
  type(MPI_Op), parameter :: MPI_LXOR = MPI_Op(1476395017)
  type(MPI_Op), parameter :: MPI_MINLOC = MPI_Op(1476395019)
  type(MPI_Op), parameter :: MPI_MAXLOC = MPI_Op(1476395020)
  type(MPI_Op), parameter :: MPI_REPLACE = MPI_Op(1476395021)
  type(MPI_Op), parameter :: MPI_NO_OP = MPI_Op(1476395022)
  type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(67108864)
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(1140850688)
  type(MPI_Comm), parameter :: MPI_COMM_SELF = MPI_Comm(1140850689)
  type(MPI_Group), parameter :: MPI_GROUP_NULL = MPI_Group(134217728)
  type(MPI_Group), parameter :: MPI_GROUP_EMPTY = MPI_Group(1207959552)
  type(MPI_Win), parameter :: MPI_WIN_NULL = MPI_Win(536870912)
  type(MPI_File), parameter :: MPI_FILE_NULL = MPI_File(0)
  type(MPI_Session), parameter :: MPI_SESSION_NULL = MPI_Session(939524096)
  type(MPI_Message), parameter :: MPI_MESSAGE_NULL = MPI_Message(738197504)
  type(MPI_Message), parameter :: MPI_MESSAGE_NO_PROC = MPI_Message(1811939328)
  type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(469762048)
  type(MPI_Info), parameter :: MPI_INFO_ENV = MPI_Info(1543503873)
  type(MPI_Errhandler), parameter :: MPI_ERRHANDLER_NULL = MPI_Errhandler(335544320)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ARE_FATAL = MPI_Errhandler(1409286144)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ABORT = MPI_Errhandler(1409286147)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_RETURN = MPI_Errhandler(1409286145)
  type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(738197504)
  type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(201326592)
  type(MPI_Datatype), parameter :: MPI_AINT = MPI_Datatype(1275070531)
  type(MPI_Datatype), parameter :: MPI_COUNT = MPI_Datatype(1275070533)
  type(MPI_Datatype), parameter :: MPI_OFFSET = MPI_Datatype(1275070532)
  type(MPI_Datatype), parameter :: MPI_PACKED = MPI_Datatype(1275068687)
  type(MPI_Datatype), parameter :: MPI_SHORT = MPI_Datatype(1275068931)
  type(MPI_Datatype), parameter :: MPI_INT = MPI_Datatype(1275069445)
  type(MPI_Datatype), parameter :: MPI_LONG = MPI_Datatype(1275070471)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG_INT = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_SHORT = MPI_Datatype(1275068932)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED = MPI_Datatype(1275069446)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG = MPI_Datatype(1275070472)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG_LONG = MPI_Datatype(1275070489)
  type(MPI_Datatype), parameter :: MPI_FLOAT = MPI_Datatype(1275069450)
  type(MPI_Datatype), parameter :: MPI_C_FLOAT_COMPLEX = MPI_Datatype(1275070528)
  type(MPI_Datatype), parameter :: MPI_C_COMPLEX = MPI_Datatype(1275070528)
  type(MPI_Datatype), parameter :: MPI_CXX_FLOAT_COMPLEX = MPI_Datatype(1275070516)
  type(MPI_Datatype), parameter :: MPI_DOUBLE = MPI_Datatype(1275070475)
  type(MPI_Datatype), parameter :: MPI_C_DOUBLE_COMPLEX = MPI_Datatype(1275072577)
  type(MPI_Datatype), parameter :: MPI_CXX_DOUBLE_COMPLEX = MPI_Datatype(1275072565)
  type(MPI_Datatype), parameter :: MPI_LOGICAL = MPI_Datatype(1275069469)
  type(MPI_Datatype), parameter :: MPI_INTEGER = MPI_Datatype(1275069467)
  type(MPI_Datatype), parameter :: MPI_REAL = MPI_Datatype(1275069468)
  type(MPI_Datatype), parameter :: MPI_COMPLEX = MPI_Datatype(1275070494)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_PRECISION = MPI_Datatype(1275070495)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_COMPLEX = MPI_Datatype(1275072546)
  type(MPI_Datatype), parameter :: MPI_CHARACTER = MPI_Datatype(1275068698)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE = MPI_Datatype(1275072524)
  type(MPI_Datatype), parameter :: MPI_C_LONG_DOUBLE_COMPLEX = MPI_Datatype(1275076674)
  type(MPI_Datatype), parameter :: MPI_CXX_LONG_DOUBLE_COMPLEX = MPI_Datatype(1275076662)
  type(MPI_Datatype), parameter :: MPI_FLOAT_INT = MPI_Datatype(-1946157056)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_INT = MPI_Datatype(-1946157055)
  type(MPI_Datatype), parameter :: MPI_LONG_INT = MPI_Datatype(-1946157054)
  type(MPI_Datatype), parameter :: MPI_2INT = MPI_Datatype(1275070486)
  type(MPI_Datatype), parameter :: MPI_SHORT_INT = MPI_Datatype(-1946157053)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE_INT = MPI_Datatype(-1946157052)
  type(MPI_Datatype), parameter :: MPI_2REAL = MPI_Datatype(1275070497)
  type(MPI_Datatype), parameter :: MPI_2DOUBLE_PRECISION = MPI_Datatype(1275072547)
  type(MPI_Datatype), parameter :: MPI_2INTEGER = MPI_Datatype(1275070496)
  type(MPI_Datatype), parameter :: MPI_C_BOOL = MPI_Datatype(1275068735)
  type(MPI_Datatype), parameter :: MPI_CXX_BOOL = MPI_Datatype(1275068723)
  type(MPI_Datatype), parameter :: MPI_WCHAR = MPI_Datatype(1275069454)
  type(MPI_Datatype), parameter :: MPI_INT8_T = MPI_Datatype(1275068727)
  type(MPI_Datatype), parameter :: MPI_UINT8_T = MPI_Datatype(1275068731)
  type(MPI_Datatype), parameter :: MPI_CHAR = MPI_Datatype(1275068673)
  type(MPI_Datatype), parameter :: MPI_SIGNED_CHAR = MPI_Datatype(1275068696)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_CHAR = MPI_Datatype(1275068674)
  type(MPI_Datatype), parameter :: MPI_BYTE = MPI_Datatype(1275068685)
  type(MPI_Datatype), parameter :: MPI_INT16_T = MPI_Datatype(1275068984)
  type(MPI_Datatype), parameter :: MPI_UINT16_T = MPI_Datatype(1275068988)
  type(MPI_Datatype), parameter :: MPI_INT32_T = MPI_Datatype(1275069497)
  type(MPI_Datatype), parameter :: MPI_UINT32_T = MPI_Datatype(1275069501)
  type(MPI_Datatype), parameter :: MPI_INT64_T = MPI_Datatype(1275070522)
  type(MPI_Datatype), parameter :: MPI_UINT64_T = MPI_Datatype(1275070526)
  type(MPI_Datatype), parameter :: MPI_LOGICAL1 = MPI_Datatype(1275068743)
  type(MPI_Datatype), parameter :: MPI_INTEGER1 = MPI_Datatype(1275068717)
  type(MPI_Datatype), parameter :: MPI_LOGICAL2 = MPI_Datatype(1275069000)
  type(MPI_Datatype), parameter :: MPI_INTEGER2 = MPI_Datatype(1275068975)
  type(MPI_Datatype), parameter :: MPI_REAL2 = MPI_Datatype(1275068966)
  type(MPI_Datatype), parameter :: MPI_LOGICAL4 = MPI_Datatype(1275069513)
  type(MPI_Datatype), parameter :: MPI_INTEGER4 = MPI_Datatype(1275069488)
  type(MPI_Datatype), parameter :: MPI_REAL4 = MPI_Datatype(1275069479)
  type(MPI_Datatype), parameter :: MPI_COMPLEX4 = MPI_Datatype(1275069486)
  type(MPI_Datatype), parameter :: MPI_LOGICAL8 = MPI_Datatype(1275070538)
  type(MPI_Datatype), parameter :: MPI_INTEGER8 = MPI_Datatype(1275070513)
  type(MPI_Datatype), parameter :: MPI_REAL8 = MPI_Datatype(1275070505)
  type(MPI_Datatype), parameter :: MPI_COMPLEX8 = MPI_Datatype(1275070504)
  type(MPI_Datatype), parameter :: MPI_LOGICAL16 = MPI_Datatype(1275072587)
  type(MPI_Datatype), parameter :: MPI_INTEGER16 = MPI_Datatype(1275072562)
  type(MPI_Datatype), parameter :: MPI_REAL16 = MPI_Datatype(1275072555)
  type(MPI_Datatype), parameter :: MPI_COMPLEX16 = MPI_Datatype(1275072554)
  type(MPI_Datatype), parameter :: MPI_COMPLEX32 = MPI_Datatype(1275076652)
  type(MPI_Datatype), parameter :: MPI_LB = MPI_Datatype(1275068432)
  type(MPI_Datatype), parameter :: MPI_UB = MPI_Datatype(1275068433)
  integer, parameter :: MPI_SUCCESS = 0
  integer, parameter :: MPI_ERR_BUFFER = 1
  integer, parameter :: MPI_ERR_COUNT = 2
  integer, parameter :: MPI_ERR_TYPE = 3
  integer, parameter :: MPI_ERR_TAG = 4
  integer, parameter :: MPI_ERR_COMM = 5
  integer, parameter :: MPI_ERR_RANK = 6
  integer, parameter :: MPI_ERR_REQUEST = 19
  integer, parameter :: MPI_ERR_ROOT = 7
  integer, parameter :: MPI_ERR_GROUP = 8
  integer, parameter :: MPI_ERR_OP = 9
  integer, parameter :: MPI_ERR_TOPOLOGY = 10
  integer, parameter :: MPI_ERR_DIMS = 11
  integer, parameter :: MPI_ERR_ARG = 12
  integer, parameter :: MPI_ERR_UNKNOWN = 13
  integer, parameter :: MPI_ERR_TRUNCATE = 14
  integer, parameter :: MPI_ERR_OTHER = 15
  integer, parameter :: MPI_ERR_INTERN = 16
  integer, parameter :: MPI_ERR_PENDING = 18
  integer, parameter :: MPI_ERR_IN_STATUS = 17
  integer, parameter :: MPI_ERR_ACCESS = 20
  integer, parameter :: MPI_ERR_AMODE = 21
  integer, parameter :: MPI_ERR_ASSERT = 53
  integer, parameter :: MPI_ERR_BAD_FILE = 22
  integer, parameter :: MPI_ERR_BASE = 46
  integer, parameter :: MPI_ERR_CONVERSION = 23
  integer, parameter :: MPI_ERR_DISP = 52
  integer, parameter :: MPI_ERR_DUP_DATAREP = 24
  integer, parameter :: MPI_ERR_FILE_EXISTS = 25
  integer, parameter :: MPI_ERR_FILE_IN_USE = 26
  integer, parameter :: MPI_ERR_FILE = 27
  integer, parameter :: MPI_ERR_INFO_KEY = 29
  integer, parameter :: MPI_ERR_INFO_NOKEY = 31
  integer, parameter :: MPI_ERR_INFO_VALUE = 30
  integer, parameter :: MPI_ERR_INFO = 28
  integer, parameter :: MPI_ERR_IO = 32
  integer, parameter :: MPI_ERR_KEYVAL = 48
  integer, parameter :: MPI_ERR_LOCKTYPE = 47
  integer, parameter :: MPI_ERR_NAME = 33
  integer, parameter :: MPI_ERR_NO_MEM = 34
  integer, parameter :: MPI_ERR_NOT_SAME = 35
  integer, parameter :: MPI_ERR_NO_SPACE = 36
  integer, parameter :: MPI_ERR_NO_SUCH_FILE = 37
  integer, parameter :: MPI_ERR_PORT = 38
  integer, parameter :: MPI_ERR_QUOTA = 39
  integer, parameter :: MPI_ERR_READ_ONLY = 40
  integer, parameter :: MPI_ERR_RMA_ATTACH = 56
  integer, parameter :: MPI_ERR_RMA_CONFLICT = 49
  integer, parameter :: MPI_ERR_RMA_RANGE = 55
  integer, parameter :: MPI_ERR_RMA_SHARED = 57
  integer, parameter :: MPI_ERR_RMA_SYNC = 50
  integer, parameter :: MPI_ERR_SERVICE = 41
  integer, parameter :: MPI_ERR_SIZE = 51
  integer, parameter :: MPI_ERR_SPAWN = 42
  integer, parameter :: MPI_ERR_UNSUPPORTED_DATAREP = 43
  integer, parameter :: MPI_ERR_UNSUPPORTED_OPERATION = 44
  integer, parameter :: MPI_ERR_WIN = 45
  integer, parameter :: MPI_ERR_RMA_FLAVOR = 58
  integer, parameter :: MPI_ERR_PROC_ABORTED = 76
  integer, parameter :: MPI_ERR_VALUE_TOO_LARGE = 77
  integer, parameter :: MPI_ERR_SESSION = 75
  integer, parameter :: MPI_ERR_ERRHANDLER = 80
  integer, parameter :: MPI_ERR_ABI = 81
  integer, parameter :: MPI_ERR_LASTCODE = 1073741823
  integer, parameter :: MPI_MAX_DATAREP_STRING = 127
  integer, parameter :: MPI_MAX_ERROR_STRING = 511
  integer, parameter :: MPI_MAX_INFO_KEY = 254
  integer, parameter :: MPI_MAX_INFO_VAL = 1023
  integer, parameter :: MPI_MAX_LIBRARY_VERSION_STRING = 8191
  integer, parameter :: MPI_MAX_OBJECT_NAME = 127
  integer, parameter :: MPI_MAX_PORT_NAME = 255
  integer, parameter :: MPI_MAX_PROCESSOR_NAME = 127
  integer, parameter :: MPI_MAX_STRINGTAG_LEN = 255
  integer, parameter :: MPI_MAX_PSET_NAME_LEN = 255
  integer, parameter :: MPI_BSEND_OVERHEAD = 96
  integer, parameter :: MPI_MODE_APPEND = 128
  integer, parameter :: MPI_MODE_CREATE = 1
  integer, parameter :: MPI_MODE_DELETE_ON_CLOSE = 16
  integer, parameter :: MPI_MODE_EXCL = 64
  integer, parameter :: MPI_MODE_RDONLY = 2
  integer, parameter :: MPI_MODE_RDWR = 8
  integer, parameter :: MPI_MODE_SEQUENTIAL = 256
  integer, parameter :: MPI_MODE_UNIQUE_OPEN = 32
  integer, parameter :: MPI_MODE_WRONLY = 4
  integer, parameter :: MPI_MODE_NOCHECK = 1024
  integer, parameter :: MPI_MODE_NOPRECEDE = 8192
  integer, parameter :: MPI_MODE_NOPUT = 4096
  integer, parameter :: MPI_MODE_NOSTORE = 2048
  integer, parameter :: MPI_MODE_NOSUCCEED = 16384
  integer, parameter :: MPI_ANY_SOURCE = -2
  integer, parameter :: MPI_ANY_TAG = -1
  integer, parameter :: MPI_PROC_NULL = -1
  integer, parameter :: MPI_ROOT = -3
  integer, parameter :: MPI_UNDEFINED = -32766
  integer, parameter :: MPI_THREAD_SINGLE = 0
  integer, parameter :: MPI_THREAD_FUNNELED = 1
  integer, parameter :: MPI_THREAD_SERIALIZED = 2
  integer, parameter :: MPI_THREAD_MULTIPLE = 3
  integer, parameter :: MPI_ORDER_C = 56
  integer, parameter :: MPI_ORDER_FORTRAN = 57
  integer, parameter :: MPI_DISTRIBUTE_NONE = 123
  integer, parameter :: MPI_DISTRIBUTE_BLOCK = 121
  integer, parameter :: MPI_DISTRIBUTE_CYCLIC = 122
  integer, parameter :: MPI_DISTRIBUTE_DFLT_DARG = -49767
  integer, parameter :: MPI_COMBINER_NAMED = 1
  integer, parameter :: MPI_COMBINER_DUP = 2
  integer, parameter :: MPI_COMBINER_CONTIGUOUS = 3
  integer, parameter :: MPI_COMBINER_VECTOR = 4
  integer, parameter :: MPI_COMBINER_HVECTOR = 6
  integer, parameter :: MPI_COMBINER_INDEXED = 7
  integer, parameter :: MPI_COMBINER_HINDEXED = 9
  integer, parameter :: MPI_COMBINER_INDEXED_BLOCK = 10
  integer, parameter :: MPI_COMBINER_HINDEXED_BLOCK = 19
  integer, parameter :: MPI_COMBINER_STRUCT = 12
  integer, parameter :: MPI_COMBINER_SUBARRAY = 13
  integer, parameter :: MPI_COMBINER_DARRAY = 14
  integer, parameter :: MPI_COMBINER_F90_REAL = 15
  integer, parameter :: MPI_COMBINER_F90_COMPLEX = 16
  integer, parameter :: MPI_COMBINER_F90_INTEGER = 17
  integer, parameter :: MPI_COMBINER_RESIZED = 18
  integer, parameter :: MPI_COMBINER_VALUE_INDEX = 20
  integer, parameter :: MPI_COMBINER_HVECTOR_INTEGER = 5
  integer, parameter :: MPI_COMBINER_HINDEXED_INTEGER = 8
  integer, parameter :: MPI_COMBINER_STRUCT_INTEGER = 11
  integer, parameter :: MPI_TYPECLASS_INTEGER = 2
  integer, parameter :: MPI_TYPECLASS_REAL = 1
  integer, parameter :: MPI_TYPECLASS_COMPLEX = 3
  integer, parameter :: MPI_IDENT = 0
  integer, parameter :: MPI_CONGRUENT = 1
  integer, parameter :: MPI_SIMILAR = 2
  integer, parameter :: MPI_UNEQUAL = 3
  integer, parameter :: MPI_CART = 2
  integer, parameter :: MPI_GRAPH = 1
  integer, parameter :: MPI_DIST_GRAPH = 3
  integer, parameter :: MPI_COMM_TYPE_SHARED = 1
  integer, parameter :: MPI_COMM_TYPE_HW_UNGUIDED = 3
  integer, parameter :: MPI_COMM_TYPE_HW_GUIDED = 2
  integer, parameter :: MPI_COMM_TYPE_RESOURCE_GUIDED = 4
  integer, parameter :: MPI_LOCK_EXCLUSIVE = 234
  integer, parameter :: MPI_LOCK_SHARED = 235
  integer, parameter :: MPI_WIN_FLAVOR_CREATE = 1
  integer, parameter :: MPI_WIN_FLAVOR_ALLOCATE = 2
  integer, parameter :: MPI_WIN_FLAVOR_DYNAMIC = 3
  integer, parameter :: MPI_WIN_FLAVOR_SHARED = 4
  integer, parameter :: MPI_WIN_UNIFIED = 2
  integer, parameter :: MPI_WIN_SEPARATE = 1
  integer, parameter :: MPI_SEEK_CUR = 602
  integer, parameter :: MPI_SEEK_END = 604
  integer, parameter :: MPI_SEEK_SET = 600
  integer(8), parameter :: MPI_DISPLACEMENT_CURRENT = -54278278
  integer, parameter :: MPI_KEYVAL_INVALID = 603979776
  integer, parameter :: MPI_TAG_UB = 1681915906
  integer, parameter :: MPI_IO = 1681915910
  integer, parameter :: MPI_HOST = 1681915908
  integer, parameter :: MPI_WTIME_IS_GLOBAL = 1681915912
  integer, parameter :: MPI_APPNUM = 1681915918
  integer, parameter :: MPI_LASTUSEDCODE = 1681915916
  integer, parameter :: MPI_UNIVERSE_SIZE = 1681915914
  integer, parameter :: MPI_WIN_BASE = 1711276034
  integer, parameter :: MPI_WIN_DISP_UNIT = 1711276038
  integer, parameter :: MPI_WIN_SIZE = 1711276036
  integer, parameter :: MPI_WIN_CREATE_FLAVOR = 1711276040
  integer, parameter :: MPI_WIN_MODEL = 1711276042
  integer, parameter :: MPI_SOURCE = 3
  integer, parameter :: MPI_F_SOURCE = 3
  integer, parameter :: MPI_TAG = 4
  integer, parameter :: MPI_F_TAG = 4
  integer, parameter :: MPI_ERROR = 5
  integer, parameter :: MPI_F_ERROR = 5
  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.

  integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
  integer :: MPI_ERRCODES_IGNORE(1)
  character :: MPI_ARGVS_NULL(1, 1), MPI_ARGV_NULL(1)
  common /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
  common /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
  common /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
  common /MPIFCMB5/ MPI_UNWEIGHTED
  common /MPIFCMB9/ MPI_WEIGHTS_EMPTY
  save /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/, /MPIFCMB5/, /MPIFCMB9/

  interface operator(==)
    elemental logical function odonata_comm_eq(a, b)
      import :: MPI_Comm
      type(MPI_Comm), intent(in) :: a, b
    end function
    elemental logical function odonata_datatype_eq(a, b)
      import :: MPI_Datatype
      type(MPI_Datatype), intent(in) :: a, b
    end function
    elemental logical function odonata_errhandler_eq(a, b)
      import :: MPI_Errhandler
      type(MPI_Errhandler), intent(in) :: a, b
    end function
    elemental logical function odonata_file_eq(a, b)
      import :: MPI_File
      type(MPI_File), intent(in) :: a, b
    end function
    elemental logical function odonata_group_eq(a, b)
      import :: MPI_Group
      type(MPI_Group), intent(in) :: a, b
    end function
    elemental logical function odonata_info_eq(a, b)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: a, b
    end function
    elemental logical function odonata_message_eq(a, b)
      import :: MPI_Message
      type(MPI_Message), intent(in) :: a, b
    end function
    elemental logical function odonata_op_eq(a, b)
      import :: MPI_Op
      type(MPI_Op), intent(in) :: a, b
    end function
    elemental logical function odonata_request_eq(a, b)
      import :: MPI_Request
      type(MPI_Request), intent(in) :: a, b
    end function
    elemental logical function odonata_session_eq(a, b)
      import :: MPI_Session
      type(MPI_Session), intent(in) :: a, b
    end function
    elemental logical function odonata_win_eq(a, b)
      import :: MPI_Win
      type(MPI_Win), intent(in) :: a, b
    end function
  end interface

  interface operator(/=)
    elemental logical function odonata_comm_ne(a, b)
      import :: MPI_Comm
      type(MPI_Comm), intent(in) :: a, b
    end function
    elemental logical function odonata_datatype_ne(a, b)
      import :: MPI_Datatype
      type(MPI_Datatype), intent(in) :: a, b
    end function
    elemental logical function odonata_errhandler_ne(a, b)
      import :: MPI_Errhandler
      type(MPI_Errhandler), intent(in) :: a, b
    end function
    elemental logical function odonata_file_ne(a, b)
      import :: MPI_File
      type(MPI_File), intent(in) :: a, b
    end function
    elemental logical function odonata_group_ne(a, b)
      import :: MPI_Group
      type(MPI_Group), intent(in) :: a, b
    end function
    elemental logical function odonata_info_ne(a, b)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: a, b
    end function
    elemental logical function odonata_message_ne(a, b)
      import :: MPI_Message
      type(MPI_Message), intent(in) :: a, b
    end function
    elemental logical function odonata_op_ne(a, b)
      import :: MPI_Op
      type(MPI_Op), intent(in) :: a, b
    end function
    elemental logical function odonata_request_ne(a, b)
      import :: MPI_Request
      type(MPI_Request), intent(in) :: a, b
    end function
    elemental logical function odonata_session_ne(a, b)
      import :: MPI_Session
      type(MPI_Session), intent(in) :: a, b
    end function
    elemental logical function odonata_win_ne(a, b)
      import :: MPI_Win
      type(MPI_Win), intent(in) :: a, b
    end function
  end interface

  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(MPI_COUNT_KIND) :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Comm_copy_attr_function(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Comm) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_Comm_delete_attr_function(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Comm) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_Type_copy_attr_function(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Datatype) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_Type_delete_attr_function(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Datatype) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_Win_copy_attr_function(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Win) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_Win_delete_attr_function(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Win) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_Comm_errhandler_function(object, error_code)
      import
      type(MPI_Comm) :: object
      integer :: error_code
    end subroutine
    subroutine MPI_File_errhandler_function(object, error_code)
      import
      type(MPI_File) :: object
      integer :: error_code
    end subroutine
    subroutine MPI_Session_errhandler_function(object, error_code)
      import
      type(MPI_Session) :: object
      integer :: error_code
    end subroutine
    subroutine MPI_Win_errhandler_function(object, error_code)
      import
      type(MPI_Win) :: object
      integer :: error_code
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, &
        filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, &
        filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_extent_function(datatype, extent, &
        extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine
  end interface

  interface
    subroutine MPI_COMM_NULL_COPY_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Comm) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_COMM_DUP_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Comm) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_COMM_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Comm) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_TYPE_NULL_COPY_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Datatype) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_TYPE_DUP_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Datatype) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_TYPE_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Datatype) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_WIN_NULL_COPY_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Win) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_WIN_DUP_FN(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_Win) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
    subroutine MPI_WIN_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
      import
      type(MPI_Win) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
    subroutine MPI_CONVERSION_FN_NULL(userbuf, datatype, count, &
        filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_CONVERSION_FN_NULL_C(userbuf, datatype, count, &
        filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
  end interface

  interface
    subroutine MPI_Sizeof(x, size, ierror) bind(C, name="odonata_sizeof")
      type(*), dimension(..) :: x
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
    subroutine PMPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface
  interface MPI_Abi_get_info
    subroutine MPI_Abi_get_info(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Abi_get_info
    subroutine PMPI_Abi_get_info(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Abi_get_version
    subroutine MPI_Abi_get_version(abi_major, abi_minor, ierror)
      import
      integer :: abi_major
      integer :: abi_minor
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Abi_get_version
    subroutine PMPI_Abi_get_version(abi_major, abi_minor, ierror)
      import
      integer :: abi_major
      integer :: abi_minor
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Abort
    subroutine MPI_Abort(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Abort
    subroutine PMPI_Abort(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) &
        bind(C, name="mpi_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) &
        bind(C, name="mpi_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Accumulate
    procedure MPI_Accumulate
    procedure MPI_Accumulate_c
  end interface
  interface
    subroutine at_pmpi_accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) &
        bind(C, name="pmpi_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) &
        bind(C, name="pmpi_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Accumulate
    procedure PMPI_Accumulate
    procedure PMPI_Accumulate_c
  end interface
  interface MPI_Add_error_class
    subroutine MPI_Add_error_class(errorclass, ierror)
      import
      integer :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Add_error_class
    subroutine PMPI_Add_error_class(errorclass, ierror)
      import
      integer :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Add_error_code
    subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Add_error_code
    subroutine PMPI_Add_error_code(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Add_error_string
    subroutine MPI_Add_error_string(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Add_error_string
    subroutine PMPI_Add_error_string(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Aint_add
    function MPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: disp
      integer(MPI_ADDRESS_KIND) :: MPI_Aint_add
    end function
  end interface
  interface PMPI_Aint_add
    function PMPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: disp
      integer(MPI_ADDRESS_KIND) :: PMPI_Aint_add
    end function
  end interface
  interface MPI_Aint_diff
    function MPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(MPI_ADDRESS_KIND) :: MPI_Aint_diff
    end function
  end interface
  interface PMPI_Aint_diff
    function PMPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(MPI_ADDRESS_KIND) :: PMPI_Aint_diff
    end function
  end interface
  interface MPI_Allgather
    subroutine MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allgather
    subroutine PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror) &
        bind(C, name="mpi_allgather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_allgather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Allgather_init
    procedure MPI_Allgather_init
    procedure MPI_Allgather_init_c
  end interface
  interface
    subroutine at_pmpi_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror) &
        bind(C, name="pmpi_allgather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_allgather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allgather_init
    procedure PMPI_Allgather_init
    procedure PMPI_Allgather_init_c
  end interface
  interface MPI_Allgatherv
    subroutine MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allgatherv
    subroutine PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_allgatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_allgatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Allgatherv_init
    procedure MPI_Allgatherv_init
    procedure MPI_Allgatherv_init_c
  end interface
  interface
    subroutine at_pmpi_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_allgatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_allgatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allgatherv_init
    procedure PMPI_Allgatherv_init
    procedure PMPI_Allgatherv_init_c
  end interface
  interface MPI_Alloc_mem
    subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      type(MPI_Info), intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alloc_mem
    subroutine PMPI_Alloc_mem(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      type(MPI_Info), intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Allreduce
    subroutine MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allreduce
    subroutine PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="mpi_allreduce_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) &
        bind(C, name="mpi_allreduce_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Allreduce_init
    procedure MPI_Allreduce_init
    procedure MPI_Allreduce_init_c
  end interface
  interface
    subroutine at_pmpi_allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="pmpi_allreduce_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) &
        bind(C, name="pmpi_allreduce_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Allreduce_init
    procedure PMPI_Allreduce_init
    procedure PMPI_Allreduce_init_c
  end interface
  interface MPI_Alltoall
    subroutine MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoall
    subroutine PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror) &
        bind(C, name="mpi_alltoall_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror) &
        bind(C, name="mpi_alltoall_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Alltoall_init
    procedure MPI_Alltoall_init
    procedure MPI_Alltoall_init_c
  end interface
  interface
    subroutine at_pmpi_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror) &
        bind(C, name="pmpi_alltoall_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_alltoall_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoall_init
    procedure PMPI_Alltoall_init
    procedure PMPI_Alltoall_init_c
  end interface
  interface MPI_Alltoallv
    subroutine MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoallv
    subroutine PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_alltoallv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_alltoallv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Alltoallv_init
    procedure MPI_Alltoallv_init
    procedure MPI_Alltoallv_init_c
  end interface
  interface
    subroutine at_pmpi_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_alltoallv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_alltoallv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoallv_init
    procedure PMPI_Alltoallv_init
    procedure PMPI_Alltoallv_init_c
  end interface
  interface MPI_Alltoallw
    subroutine MPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoallw
    subroutine PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="mpi_alltoallw_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="mpi_alltoallw_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Alltoallw_init
    procedure MPI_Alltoallw_init
    procedure MPI_Alltoallw_init_c
  end interface
  interface
    subroutine at_pmpi_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="pmpi_alltoallw_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="pmpi_alltoallw_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Alltoallw_init
    procedure PMPI_Alltoallw_init
    procedure PMPI_Alltoallw_init_c
  end interface
  interface MPI_Barrier
    subroutine MPI_Barrier(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Barrier
    subroutine PMPI_Barrier(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Barrier_init
    subroutine MPI_Barrier_init(comm, info, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Barrier_init
    subroutine PMPI_Barrier_init(comm, info, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Bcast
    subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Bcast_c(buffer, count, datatype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Bcast
    subroutine PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Bcast_c(buffer, count, datatype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_bcast_init(buffer, count, datatype, root, comm, info, request, ierror) &
        bind(C, name="mpi_bcast_init_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_bcast_init_c(buffer, count, datatype, root, comm, info, request, ierror) &
        bind(C, name="mpi_bcast_init_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Bcast_init
    procedure MPI_Bcast_init
    procedure MPI_Bcast_init_c
  end interface
  interface
    subroutine at_pmpi_bcast_init(buffer, count, datatype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_bcast_init_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_bcast_init_c(buffer, count, datatype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_bcast_init_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Bcast_init
    procedure PMPI_Bcast_init
    procedure PMPI_Bcast_init_c
  end interface
  interface MPI_Bsend
    subroutine MPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Bsend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Bsend
    subroutine PMPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Bsend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_bsend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_bsend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_bsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_bsend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Bsend_init
    procedure MPI_Bsend_init
    procedure MPI_Bsend_init_c
  end interface
  interface
    subroutine at_pmpi_bsend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_bsend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_bsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_bsend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Bsend_init
    procedure PMPI_Bsend_init
    procedure PMPI_Bsend_init_c
  end interface
  interface
    subroutine at_mpi_buffer_attach(buffer, size, ierror) &
        bind(C, name="mpi_buffer_attach_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_buffer_attach_c(buffer, size, ierror) &
        bind(C, name="mpi_buffer_attach_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Buffer_attach
    procedure MPI_Buffer_attach
    procedure MPI_Buffer_attach_c
  end interface
  interface
    subroutine at_pmpi_buffer_attach(buffer, size, ierror) &
        bind(C, name="pmpi_buffer_attach_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_buffer_attach_c(buffer, size, ierror) &
        bind(C, name="pmpi_buffer_attach_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Buffer_attach
    procedure PMPI_Buffer_attach
    procedure PMPI_Buffer_attach_c
  end interface
  interface MPI_Buffer_detach
    subroutine MPI_Buffer_detach_f08(buffer_addr, size, ierror)
      import
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Buffer_detach_f08_c(buffer_addr, size, ierror)
      import
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Buffer_detach
    subroutine PMPI_Buffer_detach_f08(buffer_addr, size, ierror)
      import
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Buffer_detach_f08_c(buffer_addr, size, ierror)
      import
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Buffer_flush
    subroutine MPI_Buffer_flush(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Buffer_flush
    subroutine PMPI_Buffer_flush(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Buffer_iflush
    subroutine MPI_Buffer_iflush(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Buffer_iflush
    subroutine PMPI_Buffer_iflush(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cancel
    subroutine MPI_Cancel(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cancel
    subroutine PMPI_Cancel(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_coords
    subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer :: coords(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_coords
    subroutine PMPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer :: coords(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_create
    subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_cart
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_create
    subroutine PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_cart
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_get
    subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxdims
      integer :: dims(*)
      logical :: periods(*)
      integer :: coords(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_get
    subroutine PMPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxdims
      integer :: dims(*)
      logical :: periods(*)
      integer :: coords(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_map
    subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      integer :: newrank
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_map
    subroutine PMPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      integer :: newrank
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_rank
    subroutine MPI_Cart_rank(comm, coords, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: coords(*)
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_rank
    subroutine PMPI_Cart_rank(comm, coords, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: coords(*)
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_shift
    subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer :: rank_source
      integer :: rank_dest
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_shift
    subroutine PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer :: rank_source
      integer :: rank_dest
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cart_sub
    subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical :: remain_dims(*)
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cart_sub
    subroutine PMPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical :: remain_dims(*)
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Cartdim_get
    subroutine MPI_Cartdim_get(comm, ndims, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: ndims
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Cartdim_get
    subroutine PMPI_Cartdim_get(comm, ndims, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: ndims
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Close_port
    subroutine MPI_Close_port(port_name, ierror)
      import
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Close_port
    subroutine PMPI_Close_port(port_name, ierror)
      import
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_accept
    subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_accept
    subroutine PMPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_comm_attach_buffer(comm, buffer, size, ierror) &
        bind(C, name="mpi_comm_attach_buffer_")
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_comm_attach_buffer_c(comm, buffer, size, ierror) &
        bind(C, name="mpi_comm_attach_buffer_c_")
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_attach_buffer
    procedure MPI_Comm_attach_buffer
    procedure MPI_Comm_attach_buffer_c
  end interface
  interface
    subroutine at_pmpi_comm_attach_buffer(comm, buffer, size, ierror) &
        bind(C, name="pmpi_comm_attach_buffer_")
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_comm_attach_buffer_c(comm, buffer, size, ierror) &
        bind(C, name="pmpi_comm_attach_buffer_c_")
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_attach_buffer
    procedure PMPI_Comm_attach_buffer
    procedure PMPI_Comm_attach_buffer_c
  end interface
  interface MPI_Comm_call_errhandler
    subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_call_errhandler
    subroutine PMPI_Comm_call_errhandler(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_compare
    subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
      import
      type(MPI_Comm), intent(in) :: comm1
      type(MPI_Comm), intent(in) :: comm2
      integer :: result
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_compare
    subroutine PMPI_Comm_compare(comm1, comm2, result, ierror)
      import
      type(MPI_Comm), intent(in) :: comm1
      type(MPI_Comm), intent(in) :: comm2
      integer :: result
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_connect
    subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_connect
    subroutine PMPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_create
    subroutine MPI_Comm_create(comm, group, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_create
    subroutine PMPI_Comm_create(comm, group, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_create_errhandler
    subroutine MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Comm_errhandler_function) :: comm_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_create_errhandler
    subroutine PMPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Comm_errhandler_function) :: comm_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_create_from_group
    subroutine MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      import
      type(MPI_Group), intent(in) :: group
      character(len=*) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_create_from_group
    subroutine PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      import
      type(MPI_Group), intent(in) :: group
      character(len=*) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_create_group
    subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_create_group
    subroutine PMPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_create_keyval
    subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      integer :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_create_keyval
    subroutine PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      integer :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_delete_attr
    subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_delete_attr
    subroutine PMPI_Comm_delete_attr(comm, comm_keyval, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_detach_buffer
    subroutine MPI_Comm_detach_buffer_f08(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Comm_detach_buffer_f08_c(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_detach_buffer
    subroutine PMPI_Comm_detach_buffer_f08(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Comm_detach_buffer_f08_c(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_disconnect
    subroutine MPI_Comm_disconnect(comm, ierror)
      import
      type(MPI_Comm) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_disconnect
    subroutine PMPI_Comm_disconnect(comm, ierror)
      import
      type(MPI_Comm) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_dup
    subroutine MPI_Comm_dup(comm, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_dup
    subroutine PMPI_Comm_dup(comm, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_dup_with_info
    subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_dup_with_info
    subroutine PMPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_flush_buffer
    subroutine MPI_Comm_flush_buffer(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_flush_buffer
    subroutine PMPI_Comm_flush_buffer(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_free
    subroutine MPI_Comm_free(comm, ierror)
      import
      type(MPI_Comm) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_free
    subroutine PMPI_Comm_free(comm, ierror)
      import
      type(MPI_Comm) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_free_keyval
    subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
      import
      integer :: comm_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_free_keyval
    subroutine PMPI_Comm_free_keyval(comm_keyval, ierror)
      import
      integer :: comm_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_get_attr
    subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_get_attr
    subroutine PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_get_errhandler
    subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_get_errhandler
    subroutine PMPI_Comm_get_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_get_info
    subroutine MPI_Comm_get_info(comm, info_used, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_get_info
    subroutine PMPI_Comm_get_info(comm, info_used, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_get_name
    subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: comm_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_get_name
    subroutine PMPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: comm_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_get_parent
    subroutine MPI_Comm_get_parent(parent, ierror)
      import
      type(MPI_Comm) :: parent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_get_parent
    subroutine PMPI_Comm_get_parent(parent, ierror)
      import
      type(MPI_Comm) :: parent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_group
    subroutine MPI_Comm_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_group
    subroutine PMPI_Comm_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_idup
    subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_idup
    subroutine PMPI_Comm_idup(comm, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: newcomm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_idup_with_info
    subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_idup_with_info
    subroutine PMPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_iflush_buffer
    subroutine MPI_Comm_iflush_buffer(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_iflush_buffer
    subroutine PMPI_Comm_iflush_buffer(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_join
    subroutine MPI_Comm_join(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      type(MPI_Comm) :: intercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_join
    subroutine PMPI_Comm_join(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      type(MPI_Comm) :: intercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_rank
    subroutine MPI_Comm_rank(comm, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_rank
    subroutine PMPI_Comm_rank(comm, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_remote_group
    subroutine MPI_Comm_remote_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_remote_group
    subroutine PMPI_Comm_remote_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_remote_size
    subroutine MPI_Comm_remote_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_remote_size
    subroutine PMPI_Comm_remote_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_set_attr
    subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_set_attr
    subroutine PMPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_set_errhandler
    subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_set_errhandler
    subroutine PMPI_Comm_set_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_set_info
    subroutine MPI_Comm_set_info(comm, info, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_set_info
    subroutine PMPI_Comm_set_info(comm, info, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_set_name
    subroutine MPI_Comm_set_name(comm, comm_name, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: comm_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_set_name
    subroutine PMPI_Comm_set_name(comm, comm_name, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: comm_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_size
    subroutine MPI_Comm_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_size
    subroutine PMPI_Comm_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_spawn
    subroutine MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      character(len=*) :: command
      character(len=*) :: argv(*)
      integer, intent(in) :: maxprocs
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_spawn
    subroutine PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      character(len=*) :: command
      character(len=*) :: argv(*)
      integer, intent(in) :: maxprocs
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_spawn_multiple
    subroutine MPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count
      character(len=*) :: array_of_commands(*)
      character(len=*) :: array_of_argv(count, *)
      integer :: array_of_maxprocs(*)
      type(MPI_Info) :: array_of_info(*)
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_spawn_multiple
    subroutine PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count
      character(len=*) :: array_of_commands(*)
      character(len=*) :: array_of_argv(count, *)
      integer :: array_of_maxprocs(*)
      type(MPI_Info) :: array_of_info(*)
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_split
    subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_split
    subroutine PMPI_Comm_split(comm, color, key, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_split_type
    subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_split_type
    subroutine PMPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm) :: newcomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Comm_test_inter
    subroutine MPI_Comm_test_inter(comm, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Comm_test_inter
    subroutine PMPI_Comm_test_inter(comm, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror) &
        bind(C, name="mpi_compare_and_swap_")
      import
      type(c_ptr), value :: origin_addr
      type(c_ptr), value :: compare_addr
      type(c_ptr), value :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Compare_and_swap
    procedure MPI_Compare_and_swap
  end interface
  interface
    subroutine at_pmpi_compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror) &
        bind(C, name="pmpi_compare_and_swap_")
      import
      type(c_ptr), value :: origin_addr
      type(c_ptr), value :: compare_addr
      type(c_ptr), value :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Compare_and_swap
    procedure PMPI_Compare_and_swap
  end interface
  interface MPI_Dims_create
    subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer :: dims(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Dims_create
    subroutine PMPI_Dims_create(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer :: dims(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Dist_graph_create
    subroutine MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, &
        reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: n
      integer :: sources(*)
      integer :: degrees(*)
      integer :: destinations(*)
      integer :: weights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_dist_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Dist_graph_create
    subroutine PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, &
        reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: n
      integer :: sources(*)
      integer :: degrees(*)
      integer :: destinations(*)
      integer :: weights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_dist_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Dist_graph_create_adjacent
    subroutine MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: indegree
      integer :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: outdegree
      integer :: destinations(*)
      integer :: destweights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_dist_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Dist_graph_create_adjacent
    subroutine PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: indegree
      integer :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: outdegree
      integer :: destinations(*)
      integer :: destweights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_dist_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Dist_graph_neighbors
    subroutine MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, &
        destinations, destweights, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindegree
      integer :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: maxoutdegree
      integer :: destinations(*)
      integer :: destweights(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Dist_graph_neighbors
    subroutine PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, &
        destinations, destweights, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindegree
      integer :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: maxoutdegree
      integer :: destinations(*)
      integer :: destweights(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Dist_graph_neighbors_count
    subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: indegree
      integer :: outdegree
      logical :: weighted
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Dist_graph_neighbors_count
    subroutine PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: indegree
      integer :: outdegree
      logical :: weighted
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Errhandler_free
    subroutine MPI_Errhandler_free(errhandler, ierror)
      import
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Errhandler_free
    subroutine PMPI_Errhandler_free(errhandler, ierror)
      import
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Error_class
    subroutine MPI_Error_class(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Error_class
    subroutine PMPI_Error_class(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Error_string
    subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Error_string
    subroutine PMPI_Error_string(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Exscan
    subroutine MPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Exscan_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Exscan
    subroutine PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Exscan_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="mpi_exscan_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="mpi_exscan_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Exscan_init
    procedure MPI_Exscan_init
    procedure MPI_Exscan_init_c
  end interface
  interface
    subroutine at_pmpi_exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="pmpi_exscan_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="pmpi_exscan_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Exscan_init
    procedure PMPI_Exscan_init
    procedure PMPI_Exscan_init_c
  end interface
  interface
    subroutine at_mpi_fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, &
        op, win, ierror) &
        bind(C, name="mpi_fetch_and_op_")
      import
      type(c_ptr), value :: origin_addr
      type(c_ptr), value :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Fetch_and_op
    procedure MPI_Fetch_and_op
  end interface
  interface
    subroutine at_pmpi_fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, &
        op, win, ierror) &
        bind(C, name="pmpi_fetch_and_op_")
      import
      type(c_ptr), value :: origin_addr
      type(c_ptr), value :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Fetch_and_op
    procedure PMPI_Fetch_and_op
  end interface
  interface MPI_File_call_errhandler
    subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_call_errhandler
    subroutine PMPI_File_call_errhandler(fh, errorcode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_close
    subroutine MPI_File_close(fh, ierror)
      import
      type(MPI_File) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_close
    subroutine PMPI_File_close(fh, ierror)
      import
      type(MPI_File) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_create_errhandler
    subroutine MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_File_errhandler_function) :: file_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_create_errhandler
    subroutine PMPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_File_errhandler_function) :: file_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_delete
    subroutine MPI_File_delete(filename, info, ierror)
      import
      character(len=*) :: filename
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_delete
    subroutine PMPI_File_delete(filename, info, ierror)
      import
      character(len=*) :: filename
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_amode
    subroutine MPI_File_get_amode(fh, amode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer :: amode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_amode
    subroutine PMPI_File_get_amode(fh, amode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer :: amode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_atomicity
    subroutine MPI_File_get_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_atomicity
    subroutine PMPI_File_get_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_byte_offset
    subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND) :: disp
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_byte_offset
    subroutine PMPI_File_get_byte_offset(fh, offset, disp, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND) :: disp
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_errhandler
    subroutine MPI_File_get_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_errhandler
    subroutine PMPI_File_get_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_group
    subroutine MPI_File_get_group(fh, group, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_group
    subroutine PMPI_File_get_group(fh, group, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_info
    subroutine MPI_File_get_info(fh, info_used, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_info
    subroutine PMPI_File_get_info(fh, info_used, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_position
    subroutine MPI_File_get_position(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_position
    subroutine PMPI_File_get_position(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_position_shared
    subroutine MPI_File_get_position_shared(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_position_shared
    subroutine PMPI_File_get_position_shared(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_size
    subroutine MPI_File_get_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_size
    subroutine PMPI_File_get_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_type_extent
    subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_type_extent
    subroutine PMPI_File_get_type_extent(fh, datatype, extent, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_get_view
    subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: disp
      type(MPI_Datatype) :: etype
      type(MPI_Datatype) :: filetype
      character(len=*) :: datarep
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_get_view
    subroutine PMPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: disp
      type(MPI_Datatype) :: etype
      type(MPI_Datatype) :: filetype
      character(len=*) :: datarep
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_iread(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iread_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iread
    procedure MPI_File_iread
    procedure MPI_File_iread_c
  end interface
  interface
    subroutine at_pmpi_file_iread(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iread_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iread
    procedure PMPI_File_iread
    procedure PMPI_File_iread_c
  end interface
  interface
    subroutine at_mpi_file_iread_all(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_all_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iread_all_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iread_all
    procedure MPI_File_iread_all
    procedure MPI_File_iread_all_c
  end interface
  interface
    subroutine at_pmpi_file_iread_all(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_all_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iread_all_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iread_all
    procedure PMPI_File_iread_all
    procedure PMPI_File_iread_all_c
  end interface
  interface
    subroutine at_mpi_file_iread_at(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_at_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iread_at_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_at_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iread_at
    procedure MPI_File_iread_at
    procedure MPI_File_iread_at_c
  end interface
  interface
    subroutine at_pmpi_file_iread_at(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_at_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iread_at_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_at_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iread_at
    procedure PMPI_File_iread_at
    procedure PMPI_File_iread_at_c
  end interface
  interface
    subroutine at_mpi_file_iread_at_all(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_at_all_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iread_at_all_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_at_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iread_at_all
    procedure MPI_File_iread_at_all
    procedure MPI_File_iread_at_all_c
  end interface
  interface
    subroutine at_pmpi_file_iread_at_all(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_at_all_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iread_at_all_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_at_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iread_at_all
    procedure PMPI_File_iread_at_all
    procedure PMPI_File_iread_at_all_c
  end interface
  interface
    subroutine at_mpi_file_iread_shared(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_shared_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iread_shared_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iread_shared_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iread_shared
    procedure MPI_File_iread_shared
    procedure MPI_File_iread_shared_c
  end interface
  interface
    subroutine at_pmpi_file_iread_shared(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_shared_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iread_shared_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iread_shared_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iread_shared
    procedure PMPI_File_iread_shared
    procedure PMPI_File_iread_shared_c
  end interface
  interface
    subroutine at_mpi_file_iwrite(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iwrite_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iwrite
    procedure MPI_File_iwrite
    procedure MPI_File_iwrite_c
  end interface
  interface
    subroutine at_pmpi_file_iwrite(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iwrite_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iwrite
    procedure PMPI_File_iwrite
    procedure PMPI_File_iwrite_c
  end interface
  interface
    subroutine at_mpi_file_iwrite_all(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_all_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iwrite_all_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iwrite_all
    procedure MPI_File_iwrite_all
    procedure MPI_File_iwrite_all_c
  end interface
  interface
    subroutine at_pmpi_file_iwrite_all(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_all_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iwrite_all_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iwrite_all
    procedure PMPI_File_iwrite_all
    procedure PMPI_File_iwrite_all_c
  end interface
  interface
    subroutine at_mpi_file_iwrite_at(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_at_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iwrite_at_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_at_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iwrite_at
    procedure MPI_File_iwrite_at
    procedure MPI_File_iwrite_at_c
  end interface
  interface
    subroutine at_pmpi_file_iwrite_at(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_at_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iwrite_at_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_at_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iwrite_at
    procedure PMPI_File_iwrite_at
    procedure PMPI_File_iwrite_at_c
  end interface
  interface
    subroutine at_mpi_file_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_at_all_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iwrite_at_all_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_at_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iwrite_at_all
    procedure MPI_File_iwrite_at_all
    procedure MPI_File_iwrite_at_all_c
  end interface
  interface
    subroutine at_pmpi_file_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_at_all_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iwrite_at_all_c(fh, offset, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_at_all_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iwrite_at_all
    procedure PMPI_File_iwrite_at_all
    procedure PMPI_File_iwrite_at_all_c
  end interface
  interface
    subroutine at_mpi_file_iwrite_shared(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_shared_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_iwrite_shared_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="mpi_file_iwrite_shared_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_iwrite_shared
    procedure MPI_File_iwrite_shared
    procedure MPI_File_iwrite_shared_c
  end interface
  interface
    subroutine at_pmpi_file_iwrite_shared(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_shared_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_iwrite_shared_c(fh, buf, count, datatype, request, ierror) &
        bind(C, name="pmpi_file_iwrite_shared_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_iwrite_shared
    procedure PMPI_File_iwrite_shared
    procedure PMPI_File_iwrite_shared_c
  end interface
  interface MPI_File_open
    subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: filename
      integer, intent(in) :: amode
      type(MPI_Info), intent(in) :: info
      type(MPI_File) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_open
    subroutine PMPI_File_open(comm, filename, amode, info, fh, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*) :: filename
      integer, intent(in) :: amode
      type(MPI_Info), intent(in) :: info
      type(MPI_File) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_preallocate
    subroutine MPI_File_preallocate(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_preallocate
    subroutine PMPI_File_preallocate(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read
    subroutine MPI_File_read(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read
    subroutine PMPI_File_read(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_all
    subroutine MPI_File_read_all(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_all_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_all
    subroutine PMPI_File_read_all(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_all_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_read_all_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_read_all_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_all_begin
    procedure MPI_File_read_all_begin
    procedure MPI_File_read_all_begin_c
  end interface
  interface
    subroutine at_pmpi_file_read_all_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_read_all_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_all_begin
    procedure PMPI_File_read_all_begin
    procedure PMPI_File_read_all_begin_c
  end interface
  interface MPI_File_read_all_end
    subroutine MPI_File_read_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_all_end
    subroutine PMPI_File_read_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_at
    subroutine MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_at_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_at
    subroutine PMPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_at_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_at_all
    subroutine MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_at_all
    subroutine PMPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_at_all_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_read_at_all_begin(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_at_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_read_at_all_begin_c(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_at_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_at_all_begin
    procedure MPI_File_read_at_all_begin
    procedure MPI_File_read_at_all_begin_c
  end interface
  interface
    subroutine at_pmpi_file_read_at_all_begin(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_at_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_read_at_all_begin_c(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_at_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_at_all_begin
    procedure PMPI_File_read_at_all_begin
    procedure PMPI_File_read_at_all_begin_c
  end interface
  interface MPI_File_read_at_all_end
    subroutine MPI_File_read_at_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_at_all_end
    subroutine PMPI_File_read_at_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_ordered
    subroutine MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_ordered
    subroutine PMPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_ordered_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_read_ordered_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_ordered_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_read_ordered_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_read_ordered_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_ordered_begin
    procedure MPI_File_read_ordered_begin
    procedure MPI_File_read_ordered_begin_c
  end interface
  interface
    subroutine at_pmpi_file_read_ordered_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_ordered_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_read_ordered_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_read_ordered_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_ordered_begin
    procedure PMPI_File_read_ordered_begin
    procedure PMPI_File_read_ordered_begin_c
  end interface
  interface MPI_File_read_ordered_end
    subroutine MPI_File_read_ordered_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_ordered_end
    subroutine PMPI_File_read_ordered_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_read_shared
    subroutine MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_read_shared_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_read_shared
    subroutine PMPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_read_shared_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_seek
    subroutine MPI_File_seek(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_seek
    subroutine PMPI_File_seek(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_seek_shared
    subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_seek_shared
    subroutine PMPI_File_seek_shared(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_set_atomicity
    subroutine MPI_File_set_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(in) :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_set_atomicity
    subroutine PMPI_File_set_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(in) :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_set_errhandler
    subroutine MPI_File_set_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_set_errhandler
    subroutine PMPI_File_set_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_set_info
    subroutine MPI_File_set_info(fh, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_set_info
    subroutine PMPI_File_set_info(fh, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_set_size
    subroutine MPI_File_set_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_set_size
    subroutine PMPI_File_set_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_set_view
    subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      type(MPI_Datatype), intent(in) :: etype
      type(MPI_Datatype), intent(in) :: filetype
      character(len=*) :: datarep
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_set_view
    subroutine PMPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      type(MPI_Datatype), intent(in) :: etype
      type(MPI_Datatype), intent(in) :: filetype
      character(len=*) :: datarep
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_sync
    subroutine MPI_File_sync(fh, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_sync
    subroutine PMPI_File_sync(fh, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write
    subroutine MPI_File_write(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write
    subroutine PMPI_File_write(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_all
    subroutine MPI_File_write_all(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_all_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_all
    subroutine PMPI_File_write_all(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_all_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_write_all_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_write_all_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_all_begin
    procedure MPI_File_write_all_begin
    procedure MPI_File_write_all_begin_c
  end interface
  interface
    subroutine at_pmpi_file_write_all_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_write_all_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_all_begin
    procedure PMPI_File_write_all_begin
    procedure PMPI_File_write_all_begin_c
  end interface
  interface MPI_File_write_all_end
    subroutine MPI_File_write_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_all_end
    subroutine PMPI_File_write_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_at
    subroutine MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_at_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_at
    subroutine PMPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_at_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_at_all
    subroutine MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_at_all
    subroutine PMPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_at_all_c(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_write_at_all_begin(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_at_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_write_at_all_begin_c(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_at_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_at_all_begin
    procedure MPI_File_write_at_all_begin
    procedure MPI_File_write_at_all_begin_c
  end interface
  interface
    subroutine at_pmpi_file_write_at_all_begin(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_at_all_begin_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_write_at_all_begin_c(fh, offset, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_at_all_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_at_all_begin
    procedure PMPI_File_write_at_all_begin
    procedure PMPI_File_write_at_all_begin_c
  end interface
  interface MPI_File_write_at_all_end
    subroutine MPI_File_write_at_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_at_all_end
    subroutine PMPI_File_write_at_all_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_ordered
    subroutine MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_ordered
    subroutine PMPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_ordered_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_file_write_ordered_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_ordered_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_file_write_ordered_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="mpi_file_write_ordered_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_ordered_begin
    procedure MPI_File_write_ordered_begin
    procedure MPI_File_write_ordered_begin_c
  end interface
  interface
    subroutine at_pmpi_file_write_ordered_begin(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_ordered_begin_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_file_write_ordered_begin_c(fh, buf, count, datatype, ierror) &
        bind(C, name="pmpi_file_write_ordered_begin_c_")
      import
      type(MPI_File), intent(in) :: fh
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_ordered_begin
    procedure PMPI_File_write_ordered_begin
    procedure PMPI_File_write_ordered_begin_c
  end interface
  interface MPI_File_write_ordered_end
    subroutine MPI_File_write_ordered_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_ordered_end
    subroutine PMPI_File_write_ordered_end(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_File_write_shared
    subroutine MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_File_write_shared_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_File_write_shared
    subroutine PMPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_File_write_shared_c(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Finalize
    subroutine MPI_Finalize(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Finalize
    subroutine PMPI_Finalize(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Finalized
    subroutine MPI_Finalized(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Finalized
    subroutine PMPI_Finalized(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Free_mem
    subroutine MPI_Free_mem(base, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Free_mem
    subroutine PMPI_Free_mem(base, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Gather
    subroutine MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Gather
    subroutine PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="mpi_gather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="mpi_gather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Gather_init
    procedure MPI_Gather_init
    procedure MPI_Gather_init_c
  end interface
  interface
    subroutine at_pmpi_gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="pmpi_gather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="pmpi_gather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Gather_init
    procedure PMPI_Gather_init
    procedure PMPI_Gather_init_c
  end interface
  interface MPI_Gatherv
    subroutine MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Gatherv
    subroutine PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="mpi_gatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="mpi_gatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Gatherv_init
    procedure MPI_Gatherv_init
    procedure MPI_Gatherv_init_c
  end interface
  interface
    subroutine at_pmpi_gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_gatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_gatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Gatherv_init
    procedure PMPI_Gatherv_init
    procedure PMPI_Gatherv_init_c
  end interface
  interface
    subroutine at_mpi_get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="mpi_get_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="mpi_get_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get
    procedure MPI_Get
    procedure MPI_Get_c
  end interface
  interface
    subroutine at_pmpi_get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="pmpi_get_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_get_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) &
        bind(C, name="pmpi_get_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get
    procedure PMPI_Get
    procedure PMPI_Get_c
  end interface
  interface
    subroutine at_mpi_get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror) &
        bind(C, name="mpi_get_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror) &
        bind(C, name="mpi_get_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_accumulate
    procedure MPI_Get_accumulate
    procedure MPI_Get_accumulate_c
  end interface
  interface
    subroutine at_pmpi_get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror) &
        bind(C, name="pmpi_get_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror) &
        bind(C, name="pmpi_get_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_accumulate
    procedure PMPI_Get_accumulate
    procedure PMPI_Get_accumulate_c
  end interface
  interface MPI_Get_address
    subroutine MPI_Get_address(location, address, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer(MPI_ADDRESS_KIND) :: address
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_address
    subroutine PMPI_Get_address(location, address, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer(MPI_ADDRESS_KIND) :: address
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_count
    subroutine MPI_Get_count(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer :: count
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Get_count_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_count
    subroutine PMPI_Get_count(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer :: count
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Get_count_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_elements
    subroutine MPI_Get_elements(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer :: count
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Get_elements_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_elements
    subroutine PMPI_Get_elements(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer :: count
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Get_elements_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_elements_x
    subroutine MPI_Get_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_elements_x
    subroutine PMPI_Get_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_hw_resource_info
    subroutine MPI_Get_hw_resource_info(hw_info, ierror)
      import
      type(MPI_Info) :: hw_info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_hw_resource_info
    subroutine PMPI_Get_hw_resource_info(hw_info, ierror)
      import
      type(MPI_Info) :: hw_info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_library_version
    subroutine MPI_Get_library_version(version, resultlen, ierror)
      import
      character(len=*) :: version
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_library_version
    subroutine PMPI_Get_library_version(version, resultlen, ierror)
      import
      character(len=*) :: version
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_processor_name
    subroutine MPI_Get_processor_name(name, resultlen, ierror)
      import
      character(len=*) :: name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_processor_name
    subroutine PMPI_Get_processor_name(name, resultlen, ierror)
      import
      character(len=*) :: name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Get_version
    subroutine MPI_Get_version(version, subversion, ierror)
      import
      integer :: version
      integer :: subversion
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Get_version
    subroutine PMPI_Get_version(version, subversion, ierror)
      import
      integer :: version
      integer :: subversion
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graph_create
    subroutine MPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graph_create
    subroutine PMPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      logical, intent(in) :: reorder
      type(MPI_Comm) :: comm_graph
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graph_get
    subroutine MPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer :: index(*)
      integer :: edges(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graph_get
    subroutine PMPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer :: index(*)
      integer :: edges(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graph_map
    subroutine MPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      integer :: newrank
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graph_map
    subroutine PMPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      integer :: newrank
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graph_neighbors
    subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer :: neighbors(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graph_neighbors
    subroutine PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer :: neighbors(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graph_neighbors_count
    subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer :: nneighbors
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graph_neighbors_count
    subroutine PMPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer :: nneighbors
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Graphdims_get
    subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: nnodes
      integer :: nedges
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Graphdims_get
    subroutine PMPI_Graphdims_get(comm, nnodes, nedges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: nnodes
      integer :: nedges
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Grequest_complete
    subroutine MPI_Grequest_complete(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Grequest_complete
    subroutine PMPI_Grequest_complete(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Grequest_start
    subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      procedure(MPI_Grequest_query_function) :: query_fn
      procedure(MPI_Grequest_free_function) :: free_fn
      procedure(MPI_Grequest_cancel_function) :: cancel_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Grequest_start
    subroutine PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      procedure(MPI_Grequest_query_function) :: query_fn
      procedure(MPI_Grequest_free_function) :: free_fn
      procedure(MPI_Grequest_cancel_function) :: cancel_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_compare
    subroutine MPI_Group_compare(group1, group2, result, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      integer :: result
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_compare
    subroutine PMPI_Group_compare(group1, group2, result, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      integer :: result
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_difference
    subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_difference
    subroutine PMPI_Group_difference(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_excl
    subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_excl
    subroutine PMPI_Group_excl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_free
    subroutine MPI_Group_free(group, ierror)
      import
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_free
    subroutine PMPI_Group_free(group, ierror)
      import
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_from_session_pset
    subroutine MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*) :: pset_name
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_from_session_pset
    subroutine PMPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*) :: pset_name
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_incl
    subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_incl
    subroutine PMPI_Group_incl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_intersection
    subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_intersection
    subroutine PMPI_Group_intersection(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_range_excl
    subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_range_excl
    subroutine PMPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_range_incl
    subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_range_incl
    subroutine PMPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_rank
    subroutine MPI_Group_rank(group, rank, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_rank
    subroutine PMPI_Group_rank(group, rank, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer :: rank
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_size
    subroutine MPI_Group_size(group, size, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_size
    subroutine PMPI_Group_size(group, size, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_translate_ranks
    subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      integer, intent(in) :: n
      integer :: ranks1(*)
      type(MPI_Group), intent(in) :: group2
      integer :: ranks2(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_translate_ranks
    subroutine PMPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      integer, intent(in) :: n
      integer :: ranks1(*)
      type(MPI_Group), intent(in) :: group2
      integer :: ranks2(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Group_union
    subroutine MPI_Group_union(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Group_union
    subroutine PMPI_Group_union(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1
      type(MPI_Group), intent(in) :: group2
      type(MPI_Group) :: newgroup
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="mpi_iallgather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="mpi_iallgather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iallgather
    procedure MPI_Iallgather
    procedure MPI_Iallgather_c
  end interface
  interface
    subroutine at_pmpi_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="pmpi_iallgather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="pmpi_iallgather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iallgather
    procedure PMPI_Iallgather
    procedure PMPI_Iallgather_c
  end interface
  interface
    subroutine at_mpi_iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_iallgatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_iallgatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iallgatherv
    procedure MPI_Iallgatherv
    procedure MPI_Iallgatherv_c
  end interface
  interface
    subroutine at_pmpi_iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_iallgatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_iallgatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iallgatherv
    procedure PMPI_Iallgatherv
    procedure PMPI_Iallgatherv_c
  end interface
  interface
    subroutine at_mpi_iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iallreduce_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iallreduce_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iallreduce
    procedure MPI_Iallreduce
    procedure MPI_Iallreduce_c
  end interface
  interface
    subroutine at_pmpi_iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iallreduce_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iallreduce_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iallreduce
    procedure PMPI_Iallreduce
    procedure PMPI_Iallreduce_c
  end interface
  interface
    subroutine at_mpi_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror) &
        bind(C, name="mpi_ialltoall_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="mpi_ialltoall_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ialltoall
    procedure MPI_Ialltoall
    procedure MPI_Ialltoall_c
  end interface
  interface
    subroutine at_pmpi_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="pmpi_ialltoall_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) &
        bind(C, name="pmpi_ialltoall_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ialltoall
    procedure PMPI_Ialltoall
    procedure PMPI_Ialltoall_c
  end interface
  interface
    subroutine at_mpi_ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ialltoallv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ialltoallv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ialltoallv
    procedure MPI_Ialltoallv
    procedure MPI_Ialltoallv_c
  end interface
  interface
    subroutine at_pmpi_ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ialltoallv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ialltoallv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ialltoallv
    procedure PMPI_Ialltoallv
    procedure PMPI_Ialltoallv_c
  end interface
  interface
    subroutine at_mpi_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="mpi_ialltoallw_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="mpi_ialltoallw_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ialltoallw
    procedure MPI_Ialltoallw
    procedure MPI_Ialltoallw_c
  end interface
  interface
    subroutine at_pmpi_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="pmpi_ialltoallw_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="pmpi_ialltoallw_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ialltoallw
    procedure PMPI_Ialltoallw
    procedure PMPI_Ialltoallw_c
  end interface
  interface MPI_Ibarrier
    subroutine MPI_Ibarrier(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ibarrier
    subroutine PMPI_Ibarrier(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_ibcast(buffer, count, datatype, root, comm, request, ierror) &
        bind(C, name="mpi_ibcast_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ibcast_c(buffer, count, datatype, root, comm, request, ierror) &
        bind(C, name="mpi_ibcast_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ibcast
    procedure MPI_Ibcast
    procedure MPI_Ibcast_c
  end interface
  interface
    subroutine at_pmpi_ibcast(buffer, count, datatype, root, comm, request, ierror) &
        bind(C, name="pmpi_ibcast_")
      import
      type(c_ptr), value :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ibcast_c(buffer, count, datatype, root, comm, request, ierror) &
        bind(C, name="pmpi_ibcast_c_")
      import
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ibcast
    procedure PMPI_Ibcast
    procedure PMPI_Ibcast_c
  end interface
  interface
    subroutine at_mpi_ibsend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_ibsend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ibsend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_ibsend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ibsend
    procedure MPI_Ibsend
    procedure MPI_Ibsend_c
  end interface
  interface
    subroutine at_pmpi_ibsend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_ibsend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ibsend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_ibsend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ibsend
    procedure PMPI_Ibsend
    procedure PMPI_Ibsend_c
  end interface
  interface
    subroutine at_mpi_iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iexscan_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iexscan_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iexscan
    procedure MPI_Iexscan
    procedure MPI_Iexscan_c
  end interface
  interface
    subroutine at_pmpi_iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iexscan_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iexscan_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iexscan
    procedure PMPI_Iexscan
    procedure PMPI_Iexscan_c
  end interface
  interface
    subroutine at_mpi_igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror) &
        bind(C, name="mpi_igather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror) &
        bind(C, name="mpi_igather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Igather
    procedure MPI_Igather
    procedure MPI_Igather_c
  end interface
  interface
    subroutine at_pmpi_igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror) &
        bind(C, name="pmpi_igather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) &
        bind(C, name="pmpi_igather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Igather
    procedure PMPI_Igather
    procedure PMPI_Igather_c
  end interface
  interface
    subroutine at_mpi_igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="mpi_igatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="mpi_igatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Igatherv
    procedure MPI_Igatherv
    procedure MPI_Igatherv_c
  end interface
  interface
    subroutine at_pmpi_igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="pmpi_igatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="pmpi_igatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Igatherv
    procedure PMPI_Igatherv
    procedure PMPI_Igatherv_c
  end interface
  interface MPI_Improbe
    subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Improbe
    subroutine PMPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_imrecv(buf, count, datatype, message, request, ierror) &
        bind(C, name="mpi_imrecv_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_imrecv_c(buf, count, datatype, message, request, ierror) &
        bind(C, name="mpi_imrecv_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Imrecv
    procedure MPI_Imrecv
    procedure MPI_Imrecv_c
  end interface
  interface
    subroutine at_pmpi_imrecv(buf, count, datatype, message, request, ierror) &
        bind(C, name="pmpi_imrecv_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_imrecv_c(buf, count, datatype, message, request, ierror) &
        bind(C, name="pmpi_imrecv_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Imrecv
    procedure PMPI_Imrecv
    procedure PMPI_Imrecv_c
  end interface
  interface
    subroutine at_mpi_ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_allgather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_allgather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ineighbor_allgather
    procedure MPI_Ineighbor_allgather
    procedure MPI_Ineighbor_allgather_c
  end interface
  interface
    subroutine at_pmpi_ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_allgather_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_allgather_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ineighbor_allgather
    procedure PMPI_Ineighbor_allgather
    procedure PMPI_Ineighbor_allgather_c
  end interface
  interface
    subroutine at_mpi_ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_allgatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_allgatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ineighbor_allgatherv
    procedure MPI_Ineighbor_allgatherv
    procedure MPI_Ineighbor_allgatherv_c
  end interface
  interface
    subroutine at_pmpi_ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_allgatherv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_allgatherv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ineighbor_allgatherv
    procedure PMPI_Ineighbor_allgatherv
    procedure PMPI_Ineighbor_allgatherv_c
  end interface
  interface
    subroutine at_mpi_ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoall_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoall_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ineighbor_alltoall
    procedure MPI_Ineighbor_alltoall
    procedure MPI_Ineighbor_alltoall_c
  end interface
  interface
    subroutine at_pmpi_ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoall_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoall_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ineighbor_alltoall
    procedure PMPI_Ineighbor_alltoall
    procedure PMPI_Ineighbor_alltoall_c
  end interface
  interface
    subroutine at_mpi_ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoallv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoallv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ineighbor_alltoallv
    procedure MPI_Ineighbor_alltoallv
    procedure MPI_Ineighbor_alltoallv_c
  end interface
  interface
    subroutine at_pmpi_ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoallv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoallv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ineighbor_alltoallv
    procedure PMPI_Ineighbor_alltoallv
    procedure PMPI_Ineighbor_alltoallv_c
  end interface
  interface
    subroutine at_mpi_ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoallw_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="mpi_ineighbor_alltoallw_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ineighbor_alltoallw
    procedure MPI_Ineighbor_alltoallw
    procedure MPI_Ineighbor_alltoallw_c
  end interface
  interface
    subroutine at_pmpi_ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoallw_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) &
        bind(C, name="pmpi_ineighbor_alltoallw_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ineighbor_alltoallw
    procedure PMPI_Ineighbor_alltoallw
    procedure PMPI_Ineighbor_alltoallw_c
  end interface
  interface MPI_Info_create
    subroutine MPI_Info_create(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_create
    subroutine PMPI_Info_create(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_create_env
    subroutine MPI_Info_create_env(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_create_env
    subroutine PMPI_Info_create_env(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_delete
    subroutine MPI_Info_delete(info, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_delete
    subroutine PMPI_Info_delete(info, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_dup
    subroutine MPI_Info_dup(info, newinfo, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Info) :: newinfo
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_dup
    subroutine PMPI_Info_dup(info, newinfo, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Info) :: newinfo
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_free
    subroutine MPI_Info_free(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_free
    subroutine PMPI_Info_free(info, ierror)
      import
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_get
    subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer, intent(in) :: valuelen
      character(len=*) :: value
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_get
    subroutine PMPI_Info_get(info, key, valuelen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer, intent(in) :: valuelen
      character(len=*) :: value
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_get_nkeys
    subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer :: nkeys
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_get_nkeys
    subroutine PMPI_Info_get_nkeys(info, nkeys, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer :: nkeys
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_get_nthkey
    subroutine MPI_Info_get_nthkey(info, n, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      character(len=*) :: key
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_get_nthkey
    subroutine PMPI_Info_get_nthkey(info, n, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      character(len=*) :: key
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_get_string
    subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer :: buflen
      character(len=*) :: value
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_get_string
    subroutine PMPI_Info_get_string(info, key, buflen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer :: buflen
      character(len=*) :: value
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_get_valuelen
    subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer :: valuelen
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_get_valuelen
    subroutine PMPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      integer :: valuelen
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Info_set
    subroutine MPI_Info_set(info, key, value, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      character(len=*) :: value
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Info_set
    subroutine PMPI_Info_set(info, key, value, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: key
      character(len=*) :: value
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Init
    subroutine MPI_Init(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Init
    subroutine PMPI_Init(ierror)
      import
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Init_thread
    subroutine MPI_Init_thread(required, provided, ierror)
      import
      integer, intent(in) :: required
      integer :: provided
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Init_thread
    subroutine PMPI_Init_thread(required, provided, ierror)
      import
      integer, intent(in) :: required
      integer :: provided
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Initialized
    subroutine MPI_Initialized(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Initialized
    subroutine PMPI_Initialized(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Intercomm_create
    subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      import
      type(MPI_Comm), intent(in) :: local_comm
      integer, intent(in) :: local_leader
      type(MPI_Comm), intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      type(MPI_Comm) :: newintercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Intercomm_create
    subroutine PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      import
      type(MPI_Comm), intent(in) :: local_comm
      integer, intent(in) :: local_leader
      type(MPI_Comm), intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      type(MPI_Comm) :: newintercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Intercomm_create_from_groups
    subroutine MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      import
      type(MPI_Group), intent(in) :: local_group
      integer, intent(in) :: local_leader
      type(MPI_Group), intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm) :: newintercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Intercomm_create_from_groups
    subroutine PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      import
      type(MPI_Group), intent(in) :: local_group
      integer, intent(in) :: local_leader
      type(MPI_Group), intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm) :: newintercomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Intercomm_merge
    subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      import
      type(MPI_Comm), intent(in) :: intercomm
      logical, intent(in) :: high
      type(MPI_Comm) :: newintracomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Intercomm_merge
    subroutine PMPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      import
      type(MPI_Comm), intent(in) :: intercomm
      logical, intent(in) :: high
      type(MPI_Comm) :: newintracomm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iprobe
    subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iprobe
    subroutine PMPI_Iprobe(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_irecv(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="mpi_irecv_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_irecv_c(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="mpi_irecv_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Irecv
    procedure MPI_Irecv
    procedure MPI_Irecv_c
  end interface
  interface
    subroutine at_pmpi_irecv(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="pmpi_irecv_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_irecv_c(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="pmpi_irecv_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Irecv
    procedure PMPI_Irecv
    procedure PMPI_Irecv_c
  end interface
  interface
    subroutine at_mpi_ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror) &
        bind(C, name="mpi_ireduce_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) &
        bind(C, name="mpi_ireduce_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ireduce
    procedure MPI_Ireduce
    procedure MPI_Ireduce_c
  end interface
  interface
    subroutine at_pmpi_ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) &
        bind(C, name="pmpi_ireduce_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) &
        bind(C, name="pmpi_ireduce_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ireduce
    procedure PMPI_Ireduce
    procedure PMPI_Ireduce_c
  end interface
  interface
    subroutine at_mpi_ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror) &
        bind(C, name="mpi_ireduce_scatter_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) &
        bind(C, name="mpi_ireduce_scatter_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ireduce_scatter
    procedure MPI_Ireduce_scatter
    procedure MPI_Ireduce_scatter_c
  end interface
  interface
    subroutine at_pmpi_ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror) &
        bind(C, name="pmpi_ireduce_scatter_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) &
        bind(C, name="pmpi_ireduce_scatter_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ireduce_scatter
    procedure PMPI_Ireduce_scatter
    procedure PMPI_Ireduce_scatter_c
  end interface
  interface
    subroutine at_mpi_ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror) &
        bind(C, name="mpi_ireduce_scatter_block_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror) &
        bind(C, name="mpi_ireduce_scatter_block_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ireduce_scatter_block
    procedure MPI_Ireduce_scatter_block
    procedure MPI_Ireduce_scatter_block_c
  end interface
  interface
    subroutine at_pmpi_ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror) &
        bind(C, name="pmpi_ireduce_scatter_block_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror) &
        bind(C, name="pmpi_ireduce_scatter_block_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ireduce_scatter_block
    procedure PMPI_Ireduce_scatter_block
    procedure PMPI_Ireduce_scatter_block_c
  end interface
  interface
    subroutine at_mpi_irsend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_irsend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_irsend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_irsend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Irsend
    procedure MPI_Irsend
    procedure MPI_Irsend_c
  end interface
  interface
    subroutine at_pmpi_irsend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_irsend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_irsend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_irsend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Irsend
    procedure PMPI_Irsend
    procedure PMPI_Irsend_c
  end interface
  interface MPI_Is_thread_main
    subroutine MPI_Is_thread_main(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Is_thread_main
    subroutine PMPI_Is_thread_main(flag, ierror)
      import
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iscan_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="mpi_iscan_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iscan
    procedure MPI_Iscan
    procedure MPI_Iscan_c
  end interface
  interface
    subroutine at_pmpi_iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iscan_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        bind(C, name="pmpi_iscan_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iscan
    procedure PMPI_Iscan
    procedure PMPI_Iscan_c
  end interface
  interface
    subroutine at_mpi_iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror) &
        bind(C, name="mpi_iscatter_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) &
        bind(C, name="mpi_iscatter_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iscatter
    procedure MPI_Iscatter
    procedure MPI_Iscatter_c
  end interface
  interface
    subroutine at_pmpi_iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror) &
        bind(C, name="pmpi_iscatter_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) &
        bind(C, name="pmpi_iscatter_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iscatter
    procedure PMPI_Iscatter
    procedure PMPI_Iscatter_c
  end interface
  interface
    subroutine at_mpi_iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="mpi_iscatterv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="mpi_iscatterv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Iscatterv
    procedure MPI_Iscatterv
    procedure MPI_Iscatterv_c
  end interface
  interface
    subroutine at_pmpi_iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="pmpi_iscatterv_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) &
        bind(C, name="pmpi_iscatterv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Iscatterv
    procedure PMPI_Iscatterv
    procedure PMPI_Iscatterv_c
  end interface
  interface
    subroutine at_mpi_isend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_isend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_isend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_isend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Isend
    procedure MPI_Isend
    procedure MPI_Isend_c
  end interface
  interface
    subroutine at_pmpi_isend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_isend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_isend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_isend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Isend
    procedure PMPI_Isend
    procedure PMPI_Isend_c
  end interface
  interface
    subroutine at_mpi_isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror) &
        bind(C, name="mpi_isendrecv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) &
        bind(C, name="mpi_isendrecv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Isendrecv
    procedure MPI_Isendrecv
    procedure MPI_Isendrecv_c
  end interface
  interface
    subroutine at_pmpi_isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror) &
        bind(C, name="pmpi_isendrecv_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) &
        bind(C, name="pmpi_isendrecv_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Isendrecv
    procedure PMPI_Isendrecv
    procedure PMPI_Isendrecv_c
  end interface
  interface
    subroutine at_mpi_isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror) &
        bind(C, name="mpi_isendrecv_replace_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror) &
        bind(C, name="mpi_isendrecv_replace_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Isendrecv_replace
    procedure MPI_Isendrecv_replace
    procedure MPI_Isendrecv_replace_c
  end interface
  interface
    subroutine at_pmpi_isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror) &
        bind(C, name="pmpi_isendrecv_replace_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror) &
        bind(C, name="pmpi_isendrecv_replace_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Isendrecv_replace
    procedure PMPI_Isendrecv_replace
    procedure PMPI_Isendrecv_replace_c
  end interface
  interface
    subroutine at_mpi_issend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_issend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_issend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_issend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Issend
    procedure MPI_Issend
    procedure MPI_Issend_c
  end interface
  interface
    subroutine at_pmpi_issend(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_issend_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_issend_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_issend_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Issend
    procedure PMPI_Issend
    procedure PMPI_Issend_c
  end interface
  interface MPI_Lookup_name
    subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Lookup_name
    subroutine PMPI_Lookup_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Mprobe
    subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Mprobe
    subroutine PMPI_Mprobe(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Mrecv
    subroutine MPI_Mrecv(buf, count, datatype, message, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Mrecv_c(buf, count, datatype, message, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Mrecv
    subroutine PMPI_Mrecv(buf, count, datatype, message, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Mrecv_c(buf, count, datatype, message, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_allgather
    subroutine MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_allgather
    subroutine PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_allgather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_allgather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_allgather_init
    procedure MPI_Neighbor_allgather_init
    procedure MPI_Neighbor_allgather_init_c
  end interface
  interface
    subroutine at_pmpi_neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_allgather_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_allgather_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_allgather_init
    procedure PMPI_Neighbor_allgather_init
    procedure PMPI_Neighbor_allgather_init_c
  end interface
  interface MPI_Neighbor_allgatherv
    subroutine MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_allgatherv
    subroutine PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_allgatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_allgatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_allgatherv_init
    procedure MPI_Neighbor_allgatherv_init
    procedure MPI_Neighbor_allgatherv_init_c
  end interface
  interface
    subroutine at_pmpi_neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_allgatherv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_allgatherv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_allgatherv_init
    procedure PMPI_Neighbor_allgatherv_init
    procedure PMPI_Neighbor_allgatherv_init_c
  end interface
  interface MPI_Neighbor_alltoall
    subroutine MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoall
    subroutine PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoall_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoall_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_alltoall_init
    procedure MPI_Neighbor_alltoall_init
    procedure MPI_Neighbor_alltoall_init_c
  end interface
  interface
    subroutine at_pmpi_neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoall_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoall_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoall_init
    procedure PMPI_Neighbor_alltoall_init
    procedure PMPI_Neighbor_alltoall_init_c
  end interface
  interface MPI_Neighbor_alltoallv
    subroutine MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoallv
    subroutine PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoallv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoallv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_alltoallv_init
    procedure MPI_Neighbor_alltoallv_init
    procedure MPI_Neighbor_alltoallv_init_c
  end interface
  interface
    subroutine at_pmpi_neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoallv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoallv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoallv_init
    procedure PMPI_Neighbor_alltoallv_init
    procedure PMPI_Neighbor_alltoallv_init_c
  end interface
  interface MPI_Neighbor_alltoallw
    subroutine MPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoallw
    subroutine PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoallw_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="mpi_neighbor_alltoallw_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Neighbor_alltoallw_init
    procedure MPI_Neighbor_alltoallw_init
    procedure MPI_Neighbor_alltoallw_init_c
  end interface
  interface
    subroutine at_pmpi_neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoallw_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror) &
        bind(C, name="pmpi_neighbor_alltoallw_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Neighbor_alltoallw_init
    procedure PMPI_Neighbor_alltoallw_init
    procedure PMPI_Neighbor_alltoallw_init_c
  end interface
  interface MPI_Op_commutative
    subroutine MPI_Op_commutative(op, commute, ierror)
      import
      type(MPI_Op), intent(in) :: op
      logical :: commute
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Op_commutative
    subroutine PMPI_Op_commutative(op, commute, ierror)
      import
      type(MPI_Op), intent(in) :: op
      logical :: commute
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine MPI_Op_create_c(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function_c) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Op_create
    subroutine MPI_Op_create(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine PMPI_Op_create_c(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function_c) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Op_create
    subroutine PMPI_Op_create(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Op_free
    subroutine MPI_Op_free(op, ierror)
      import
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Op_free
    subroutine PMPI_Op_free(op, ierror)
      import
      type(MPI_Op) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Open_port
    subroutine MPI_Open_port(info, port_name, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Open_port
    subroutine PMPI_Open_port(info, port_name, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pack
    subroutine MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outsize
      integer :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Pack_c(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outsize
      integer(MPI_COUNT_KIND) :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pack
    subroutine PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outsize
      integer :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Pack_c(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outsize
      integer(MPI_COUNT_KIND) :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pack_external
    subroutine MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(MPI_ADDRESS_KIND) :: position
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Pack_external_c(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outsize
      integer(MPI_COUNT_KIND) :: position
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pack_external
    subroutine PMPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(MPI_ADDRESS_KIND) :: position
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Pack_external_c(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outsize
      integer(MPI_COUNT_KIND) :: position
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pack_external_size
    subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Pack_external_size_c(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pack_external_size
    subroutine PMPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Pack_external_size_c(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pack_size
    subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Pack_size_c(incount, datatype, comm, size, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pack_size
    subroutine PMPI_Pack_size(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Pack_size_c(incount, datatype, comm, size, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Parrived
    subroutine MPI_Parrived(request, partition, flag, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, intent(in) :: partition
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Parrived
    subroutine PMPI_Parrived(request, partition, flag, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, intent(in) :: partition
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pcontrol
    subroutine MPI_Pcontrol(level, ierror)
      import
      integer, intent(in) :: level
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pcontrol
    subroutine PMPI_Pcontrol(level, ierror)
      import
      integer, intent(in) :: level
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pready
    subroutine MPI_Pready(partition, request, ierror)
      import
      integer, intent(in) :: partition
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pready
    subroutine PMPI_Pready(partition, request, ierror)
      import
      integer, intent(in) :: partition
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pready_list
    subroutine MPI_Pready_list(length, array_of_partitions, request, ierror)
      import
      integer, intent(in) :: length
      integer :: array_of_partitions(*)
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pready_list
    subroutine PMPI_Pready_list(length, array_of_partitions, request, ierror)
      import
      integer, intent(in) :: length
      integer :: array_of_partitions(*)
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Pready_range
    subroutine MPI_Pready_range(partition_low, partition_high, request, ierror)
      import
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Pready_range
    subroutine PMPI_Pready_range(partition_low, partition_high, request, ierror)
      import
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      type(MPI_Request), intent(in) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_precv_init(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror) &
        bind(C, name="mpi_precv_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Precv_init
    procedure MPI_Precv_init
  end interface
  interface
    subroutine at_pmpi_precv_init(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror) &
        bind(C, name="pmpi_precv_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Precv_init
    procedure PMPI_Precv_init
  end interface
  interface MPI_Probe
    subroutine MPI_Probe(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Probe
    subroutine PMPI_Probe(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_psend_init(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror) &
        bind(C, name="mpi_psend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Psend_init
    procedure MPI_Psend_init
  end interface
  interface
    subroutine at_pmpi_psend_init(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror) &
        bind(C, name="pmpi_psend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Psend_init
    procedure PMPI_Psend_init
  end interface
  interface MPI_Publish_name
    subroutine MPI_Publish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Publish_name
    subroutine PMPI_Publish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="mpi_put_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="mpi_put_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Put
    procedure MPI_Put
    procedure MPI_Put_c
  end interface
  interface
    subroutine at_pmpi_put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror) &
        bind(C, name="pmpi_put_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_put_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) &
        bind(C, name="pmpi_put_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Put
    procedure PMPI_Put
    procedure PMPI_Put_c
  end interface
  interface MPI_Query_thread
    subroutine MPI_Query_thread(provided, ierror)
      import
      integer :: provided
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Query_thread
    subroutine PMPI_Query_thread(provided, ierror)
      import
      integer :: provided
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) &
        bind(C, name="mpi_raccumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) &
        bind(C, name="mpi_raccumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Raccumulate
    procedure MPI_Raccumulate
    procedure MPI_Raccumulate_c
  end interface
  interface
    subroutine at_pmpi_raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) &
        bind(C, name="pmpi_raccumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) &
        bind(C, name="pmpi_raccumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Raccumulate
    procedure PMPI_Raccumulate
    procedure PMPI_Raccumulate_c
  end interface
  interface MPI_Recv
    subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Recv_c(buf, count, datatype, source, tag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Recv
    subroutine PMPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Recv_c(buf, count, datatype, source, tag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_recv_init(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="mpi_recv_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_recv_init_c(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="mpi_recv_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Recv_init
    procedure MPI_Recv_init
    procedure MPI_Recv_init_c
  end interface
  interface
    subroutine at_pmpi_recv_init(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="pmpi_recv_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_recv_init_c(buf, count, datatype, source, tag, comm, request, ierror) &
        bind(C, name="pmpi_recv_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Recv_init
    procedure PMPI_Recv_init
    procedure PMPI_Recv_init_c
  end interface
  interface MPI_Reduce
    subroutine MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce
    subroutine PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) &
        bind(C, name="mpi_reduce_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) &
        bind(C, name="mpi_reduce_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Reduce_init
    procedure MPI_Reduce_init
    procedure MPI_Reduce_init_c
  end interface
  interface
    subroutine at_pmpi_reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) &
        bind(C, name="pmpi_reduce_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) &
        bind(C, name="pmpi_reduce_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_init
    procedure PMPI_Reduce_init
    procedure PMPI_Reduce_init_c
  end interface
  interface MPI_Reduce_local
    subroutine MPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Reduce_local_c(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_local
    subroutine PMPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Reduce_local_c(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Reduce_scatter
    subroutine MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_scatter
    subroutine PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Reduce_scatter_block
    subroutine MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_scatter_block
    subroutine PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror) &
        bind(C, name="mpi_reduce_scatter_block_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror) &
        bind(C, name="mpi_reduce_scatter_block_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Reduce_scatter_block_init
    procedure MPI_Reduce_scatter_block_init
    procedure MPI_Reduce_scatter_block_init_c
  end interface
  interface
    subroutine at_pmpi_reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror) &
        bind(C, name="pmpi_reduce_scatter_block_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror) &
        bind(C, name="pmpi_reduce_scatter_block_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_scatter_block_init
    procedure PMPI_Reduce_scatter_block_init
    procedure PMPI_Reduce_scatter_block_init_c
  end interface
  interface
    subroutine at_mpi_reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror) &
        bind(C, name="mpi_reduce_scatter_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror) &
        bind(C, name="mpi_reduce_scatter_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Reduce_scatter_init
    procedure MPI_Reduce_scatter_init
    procedure MPI_Reduce_scatter_init_c
  end interface
  interface
    subroutine at_pmpi_reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror) &
        bind(C, name="pmpi_reduce_scatter_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror) &
        bind(C, name="pmpi_reduce_scatter_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Reduce_scatter_init
    procedure PMPI_Reduce_scatter_init
    procedure PMPI_Reduce_scatter_init_c
  end interface
  interface MPI_Register_datarep
    subroutine MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*) :: datarep
      procedure(MPI_Datarep_conversion_function) :: read_conversion_fn
      procedure(MPI_Datarep_conversion_function) :: write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Register_datarep
    subroutine PMPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*) :: datarep
      procedure(MPI_Datarep_conversion_function) :: read_conversion_fn
      procedure(MPI_Datarep_conversion_function) :: write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Remove_error_class
    subroutine MPI_Remove_error_class(errorclass, ierror)
      import
      integer, intent(in) :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Remove_error_class
    subroutine PMPI_Remove_error_class(errorclass, ierror)
      import
      integer, intent(in) :: errorclass
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Remove_error_code
    subroutine MPI_Remove_error_code(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Remove_error_code
    subroutine PMPI_Remove_error_code(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Remove_error_string
    subroutine MPI_Remove_error_string(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Remove_error_string
    subroutine PMPI_Remove_error_string(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Request_free
    subroutine MPI_Request_free(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Request_free
    subroutine PMPI_Request_free(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Request_get_status
    subroutine MPI_Request_get_status(request, flag, status, ierror)
      import
      type(MPI_Request), intent(in) :: request
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Request_get_status
    subroutine PMPI_Request_get_status(request, flag, status, ierror)
      import
      type(MPI_Request), intent(in) :: request
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Request_get_status_all
    subroutine MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      logical :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Request_get_status_all
    subroutine PMPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      logical :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Request_get_status_any
    subroutine MPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Request_get_status_any
    subroutine PMPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Request_get_status_some
    subroutine MPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Request_get_status_some
    subroutine PMPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror) &
        bind(C, name="mpi_rget_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_rget_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) &
        bind(C, name="mpi_rget_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Rget
    procedure MPI_Rget
    procedure MPI_Rget_c
  end interface
  interface
    subroutine at_pmpi_rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror) &
        bind(C, name="pmpi_rget_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_rget_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) &
        bind(C, name="pmpi_rget_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Rget
    procedure PMPI_Rget
    procedure PMPI_Rget_c
  end interface
  interface
    subroutine at_mpi_rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror) &
        bind(C, name="mpi_rget_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror) &
        bind(C, name="mpi_rget_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Rget_accumulate
    procedure MPI_Rget_accumulate
    procedure MPI_Rget_accumulate_c
  end interface
  interface
    subroutine at_pmpi_rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror) &
        bind(C, name="pmpi_rget_accumulate_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror) &
        bind(C, name="pmpi_rget_accumulate_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(c_ptr), value :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Rget_accumulate
    procedure PMPI_Rget_accumulate
    procedure PMPI_Rget_accumulate_c
  end interface
  interface
    subroutine at_mpi_rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror) &
        bind(C, name="mpi_rput_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_rput_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) &
        bind(C, name="mpi_rput_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Rput
    procedure MPI_Rput
    procedure MPI_Rput_c
  end interface
  interface
    subroutine at_pmpi_rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror) &
        bind(C, name="pmpi_rput_")
      import
      type(c_ptr), value :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_rput_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) &
        bind(C, name="pmpi_rput_c_")
      import
      type(c_ptr), value :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Rput
    procedure PMPI_Rput
    procedure PMPI_Rput_c
  end interface
  interface MPI_Rsend
    subroutine MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Rsend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Rsend
    subroutine PMPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Rsend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_rsend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_rsend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_rsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_rsend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Rsend_init
    procedure MPI_Rsend_init
    procedure MPI_Rsend_init_c
  end interface
  interface
    subroutine at_pmpi_rsend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_rsend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_rsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_rsend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Rsend_init
    procedure PMPI_Rsend_init
    procedure PMPI_Rsend_init_c
  end interface
  interface MPI_Scan
    subroutine MPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Scan_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scan
    subroutine PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Scan_c(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="mpi_scan_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="mpi_scan_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Scan_init
    procedure MPI_Scan_init
    procedure MPI_Scan_init_c
  end interface
  interface
    subroutine at_pmpi_scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="pmpi_scan_init_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) &
        bind(C, name="pmpi_scan_init_c_")
      import
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scan_init
    procedure PMPI_Scan_init
    procedure PMPI_Scan_init_c
  end interface
  interface MPI_Scatter
    subroutine MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scatter
    subroutine PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="mpi_scatter_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="mpi_scatter_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Scatter_init
    procedure MPI_Scatter_init
    procedure MPI_Scatter_init_c
  end interface
  interface
    subroutine at_pmpi_scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="pmpi_scatter_init_")
      import
      type(c_ptr), value :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror) &
        bind(C, name="pmpi_scatter_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scatter_init
    procedure PMPI_Scatter_init
    procedure PMPI_Scatter_init_c
  end interface
  interface MPI_Scatterv
    subroutine MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scatterv
    subroutine PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="mpi_scatterv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="mpi_scatterv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Scatterv_init
    procedure MPI_Scatterv_init
    procedure MPI_Scatterv_init_c
  end interface
  interface
    subroutine at_pmpi_scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_scatterv_init_")
      import
      type(c_ptr), value :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) &
        bind(C, name="pmpi_scatterv_init_c_")
      import
      type(c_ptr), value :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(c_ptr), value :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Scatterv_init
    procedure PMPI_Scatterv_init
    procedure PMPI_Scatterv_init_c
  end interface
  interface MPI_Send
    subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Send_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Send
    subroutine PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Send_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_send_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_send_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_send_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_send_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Send_init
    procedure MPI_Send_init
    procedure MPI_Send_init_c
  end interface
  interface
    subroutine at_pmpi_send_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_send_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_send_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_send_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Send_init
    procedure PMPI_Send_init
    procedure PMPI_Send_init_c
  end interface
  interface MPI_Sendrecv
    subroutine MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Sendrecv
    subroutine PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Sendrecv_replace
    subroutine MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Sendrecv_replace
    subroutine PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_session_attach_buffer(session, buffer, size, ierror) &
        bind(C, name="mpi_session_attach_buffer_")
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_session_attach_buffer_c(session, buffer, size, ierror) &
        bind(C, name="mpi_session_attach_buffer_c_")
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_attach_buffer
    procedure MPI_Session_attach_buffer
    procedure MPI_Session_attach_buffer_c
  end interface
  interface
    subroutine at_pmpi_session_attach_buffer(session, buffer, size, ierror) &
        bind(C, name="pmpi_session_attach_buffer_")
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), value :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_session_attach_buffer_c(session, buffer, size, ierror) &
        bind(C, name="pmpi_session_attach_buffer_c_")
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), value :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_attach_buffer
    procedure PMPI_Session_attach_buffer
    procedure PMPI_Session_attach_buffer_c
  end interface
  interface MPI_Session_call_errhandler
    subroutine MPI_Session_call_errhandler(session, errorcode, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_call_errhandler
    subroutine PMPI_Session_call_errhandler(session, errorcode, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_create_errhandler
    subroutine MPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Session_errhandler_function) :: session_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_create_errhandler
    subroutine PMPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Session_errhandler_function) :: session_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_detach_buffer
    subroutine MPI_Session_detach_buffer_f08(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Session_detach_buffer_f08_c(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_detach_buffer
    subroutine PMPI_Session_detach_buffer_f08(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr) :: buffer_addr
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Session_detach_buffer_f08_c(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr) :: buffer_addr
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_finalize
    subroutine MPI_Session_finalize(session, ierror)
      import
      type(MPI_Session) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_finalize
    subroutine PMPI_Session_finalize(session, ierror)
      import
      type(MPI_Session) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_flush_buffer
    subroutine MPI_Session_flush_buffer(session, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_flush_buffer
    subroutine PMPI_Session_flush_buffer(session, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_get_errhandler
    subroutine MPI_Session_get_errhandler(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_get_errhandler
    subroutine PMPI_Session_get_errhandler(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_get_info
    subroutine MPI_Session_get_info(session, info_used, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_get_info
    subroutine PMPI_Session_get_info(session, info_used, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_get_nth_pset
    subroutine MPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      integer :: pset_len
      character(len=*) :: pset_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_get_nth_pset
    subroutine PMPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      integer :: pset_len
      character(len=*) :: pset_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_get_num_psets
    subroutine MPI_Session_get_num_psets(session, info, npset_names, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer :: npset_names
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_get_num_psets
    subroutine PMPI_Session_get_num_psets(session, info, npset_names, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer :: npset_names
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_get_pset_info
    subroutine MPI_Session_get_pset_info(session, pset_name, info, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*) :: pset_name
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_get_pset_info
    subroutine PMPI_Session_get_pset_info(session, pset_name, info, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*) :: pset_name
      type(MPI_Info) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_iflush_buffer
    subroutine MPI_Session_iflush_buffer(session, request, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_iflush_buffer
    subroutine PMPI_Session_iflush_buffer(session, request, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_init
    subroutine MPI_Session_init(info, errhandler, session, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Session) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_init
    subroutine PMPI_Session_init(info, errhandler, session, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Session) :: session
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Session_set_errhandler
    subroutine MPI_Session_set_errhandler(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Session_set_errhandler
    subroutine PMPI_Session_set_errhandler(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ssend
    subroutine MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Ssend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ssend
    subroutine PMPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Ssend_c(buf, count, datatype, dest, tag, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_ssend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_ssend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_ssend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="mpi_ssend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Ssend_init
    procedure MPI_Ssend_init
    procedure MPI_Ssend_init_c
  end interface
  interface
    subroutine at_pmpi_ssend_init(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_ssend_init_")
      import
      type(c_ptr), value :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_ssend_init_c(buf, count, datatype, dest, tag, comm, request, ierror) &
        bind(C, name="pmpi_ssend_init_c_")
      import
      type(c_ptr), value :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Ssend_init
    procedure PMPI_Ssend_init
    procedure PMPI_Ssend_init_c
  end interface
  interface MPI_Start
    subroutine MPI_Start(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Start
    subroutine PMPI_Start(request, ierror)
      import
      type(MPI_Request) :: request
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Startall
    subroutine MPI_Startall(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Startall
    subroutine PMPI_Startall(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_get_error
    subroutine MPI_Status_get_error(status, err, ierror)
      import
      type(MPI_Status) :: status
      integer :: err
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_get_error
    subroutine PMPI_Status_get_error(status, err, ierror)
      import
      type(MPI_Status) :: status
      integer :: err
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_get_source
    subroutine MPI_Status_get_source(status, source, ierror)
      import
      type(MPI_Status) :: status
      integer :: source
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_get_source
    subroutine PMPI_Status_get_source(status, source, ierror)
      import
      type(MPI_Status) :: status
      integer :: source
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_get_tag
    subroutine MPI_Status_get_tag(status, tag, ierror)
      import
      type(MPI_Status) :: status
      integer :: tag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_get_tag
    subroutine PMPI_Status_get_tag(status, tag, ierror)
      import
      type(MPI_Status) :: status
      integer :: tag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_cancelled
    subroutine MPI_Status_set_cancelled(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical, intent(in) :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_cancelled
    subroutine PMPI_Status_set_cancelled(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical, intent(in) :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_elements
    subroutine MPI_Status_set_elements(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: count
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Status_set_elements_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_elements
    subroutine PMPI_Status_set_elements(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: count
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Status_set_elements_c(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_elements_x
    subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_elements_x
    subroutine PMPI_Status_set_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_error
    subroutine MPI_Status_set_error(status, err, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: err
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_error
    subroutine PMPI_Status_set_error(status, err, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: err
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_source
    subroutine MPI_Status_set_source(status, source, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: source
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_source
    subroutine PMPI_Status_set_source(status, source, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: source
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Status_set_tag
    subroutine MPI_Status_set_tag(status, tag, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: tag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Status_set_tag
    subroutine PMPI_Status_set_tag(status, tag, ierror)
      import
      type(MPI_Status) :: status
      integer, intent(in) :: tag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Test
    subroutine MPI_Test(request, flag, status, ierror)
      import
      type(MPI_Request) :: request
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Test
    subroutine PMPI_Test(request, flag, status, ierror)
      import
      type(MPI_Request) :: request
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Test_cancelled
    subroutine MPI_Test_cancelled(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Test_cancelled
    subroutine PMPI_Test_cancelled(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Testall
    subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      logical :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Testall
    subroutine PMPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      logical :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Testany
    subroutine MPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Testany
    subroutine PMPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      logical :: flag
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Testsome
    subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Testsome
    subroutine PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Topo_test
    subroutine MPI_Topo_test(comm, status, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Topo_test
    subroutine PMPI_Topo_test(comm, status, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_commit
    subroutine MPI_Type_commit(datatype, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_commit
    subroutine PMPI_Type_commit(datatype, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_contiguous
    subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_contiguous_c(count, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_contiguous
    subroutine PMPI_Type_contiguous(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_contiguous_c(count, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_darray
    subroutine MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_darray_c(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer(MPI_COUNT_KIND) :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_darray
    subroutine PMPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_darray_c(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer(MPI_COUNT_KIND) :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_f90_complex
    subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_f90_complex
    subroutine PMPI_Type_create_f90_complex(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_f90_integer
    subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
      import
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_f90_integer
    subroutine PMPI_Type_create_f90_integer(r, newtype, ierror)
      import
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_f90_real
    subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_f90_real
    subroutine PMPI_Type_create_f90_real(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_hindexed
    subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_hindexed
    subroutine PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_hindexed_block
    subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_block_c(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_hindexed_block
    subroutine PMPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed_block_c(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_hvector
    subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_hvector_c(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_hvector
    subroutine PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_hvector_c(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_indexed_block
    subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_indexed_block_c(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_indexed_block
    subroutine PMPI_Type_create_indexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_indexed_block_c(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_keyval
    subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      integer :: type_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_keyval
    subroutine PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      integer :: type_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_resized
    subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb
      integer(MPI_ADDRESS_KIND), intent(in) :: extent
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_resized
    subroutine PMPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb
      integer(MPI_ADDRESS_KIND), intent(in) :: extent
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_struct
    subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype) :: array_of_types(*)
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_struct_c(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype) :: array_of_types(*)
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_struct
    subroutine PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      type(MPI_Datatype) :: array_of_types(*)
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_struct_c(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype) :: array_of_types(*)
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_create_subarray
    subroutine MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer :: array_of_sizes(*)
      integer :: array_of_subsizes(*)
      integer :: array_of_starts(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_create_subarray_c(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer(MPI_COUNT_KIND) :: array_of_sizes(*)
      integer(MPI_COUNT_KIND) :: array_of_subsizes(*)
      integer(MPI_COUNT_KIND) :: array_of_starts(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_create_subarray
    subroutine PMPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer :: array_of_sizes(*)
      integer :: array_of_subsizes(*)
      integer :: array_of_starts(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_create_subarray_c(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer(MPI_COUNT_KIND) :: array_of_sizes(*)
      integer(MPI_COUNT_KIND) :: array_of_subsizes(*)
      integer(MPI_COUNT_KIND) :: array_of_starts(*)
      integer, intent(in) :: order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_delete_attr
    subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_delete_attr
    subroutine PMPI_Type_delete_attr(datatype, type_keyval, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_dup
    subroutine MPI_Type_dup(oldtype, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_dup
    subroutine PMPI_Type_dup(oldtype, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_free
    subroutine MPI_Type_free(datatype, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_free
    subroutine PMPI_Type_free(datatype, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_free_keyval
    subroutine MPI_Type_free_keyval(type_keyval, ierror)
      import
      integer :: type_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_free_keyval
    subroutine PMPI_Type_free_keyval(type_keyval, ierror)
      import
      integer :: type_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_attr
    subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_attr
    subroutine PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_contents
    subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      type(MPI_Datatype) :: array_of_datatypes(*)
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts, &
        max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, &
        array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: max_integers
      integer(MPI_COUNT_KIND), intent(in) :: max_addresses
      integer(MPI_COUNT_KIND), intent(in) :: max_large_counts
      integer(MPI_COUNT_KIND), intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      integer(MPI_COUNT_KIND) :: array_of_large_counts(*)
      type(MPI_Datatype) :: array_of_datatypes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_contents
    subroutine PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      type(MPI_Datatype) :: array_of_datatypes(*)
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts, &
        max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, &
        array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: max_integers
      integer(MPI_COUNT_KIND), intent(in) :: max_addresses
      integer(MPI_COUNT_KIND), intent(in) :: max_large_counts
      integer(MPI_COUNT_KIND), intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      integer(MPI_COUNT_KIND) :: array_of_large_counts(*)
      type(MPI_Datatype) :: array_of_datatypes(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_envelope
    subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer :: num_integers
      integer :: num_addresses
      integer :: num_datatypes
      integer :: combiner
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_get_envelope_c(datatype, num_integers, num_addresses, num_large_counts, &
        num_datatypes, combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: num_integers
      integer(MPI_COUNT_KIND) :: num_addresses
      integer(MPI_COUNT_KIND) :: num_large_counts
      integer(MPI_COUNT_KIND) :: num_datatypes
      integer :: combiner
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_envelope
    subroutine PMPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer :: num_integers
      integer :: num_addresses
      integer :: num_datatypes
      integer :: combiner
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_get_envelope_c(datatype, num_integers, num_addresses, num_large_counts, &
        num_datatypes, combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: num_integers
      integer(MPI_COUNT_KIND) :: num_addresses
      integer(MPI_COUNT_KIND) :: num_large_counts
      integer(MPI_COUNT_KIND) :: num_datatypes
      integer :: combiner
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_extent
    subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: lb
      integer(MPI_ADDRESS_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_extent
    subroutine PMPI_Type_get_extent(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: lb
      integer(MPI_ADDRESS_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_extent_x
    subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: lb
      integer(MPI_COUNT_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_extent_x
    subroutine PMPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: lb
      integer(MPI_COUNT_KIND) :: extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_name
    subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*) :: type_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_name
    subroutine PMPI_Type_get_name(datatype, type_name, resultlen, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*) :: type_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_true_extent
    subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: true_lb
      integer(MPI_ADDRESS_KIND) :: true_extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_true_extent
    subroutine PMPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: true_lb
      integer(MPI_ADDRESS_KIND) :: true_extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_true_extent_x
    subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: true_lb
      integer(MPI_COUNT_KIND) :: true_extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_true_extent_x
    subroutine PMPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: true_lb
      integer(MPI_COUNT_KIND) :: true_extent
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_get_value_index
    subroutine MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      import
      type(MPI_Datatype), intent(in) :: value_type
      type(MPI_Datatype), intent(in) :: index_type
      type(MPI_Datatype) :: pair_type
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_get_value_index
    subroutine PMPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      import
      type(MPI_Datatype), intent(in) :: value_type
      type(MPI_Datatype), intent(in) :: index_type
      type(MPI_Datatype) :: pair_type
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_indexed
    subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_indexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_indexed
    subroutine PMPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_indexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND) :: array_of_blocklengths(*)
      integer(MPI_COUNT_KIND) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_match_size
    subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_match_size
    subroutine PMPI_Type_match_size(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      type(MPI_Datatype) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_set_attr
    subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_set_attr
    subroutine PMPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_set_name
    subroutine MPI_Type_set_name(datatype, type_name, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*) :: type_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_set_name
    subroutine PMPI_Type_set_name(datatype, type_name, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*) :: type_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_size
    subroutine MPI_Type_size(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_size_c(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_size
    subroutine PMPI_Type_size(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer :: size
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_size_c(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_size_x
    subroutine MPI_Type_size_x(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_size_x
    subroutine PMPI_Type_size_x(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Type_vector
    subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Type_vector_c(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Type_vector
    subroutine PMPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Type_vector_c(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer(MPI_COUNT_KIND), intent(in) :: blocklength
      integer(MPI_COUNT_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Unpack
    subroutine MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: insize
      integer :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Unpack_c(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize
      integer(MPI_COUNT_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Unpack
    subroutine PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: insize
      integer :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Unpack_c(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize
      integer(MPI_COUNT_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Unpack_external
    subroutine MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: insize
      integer(MPI_ADDRESS_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Unpack_external_c(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize
      integer(MPI_COUNT_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Unpack_external
    subroutine PMPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, &
        ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: insize
      integer(MPI_ADDRESS_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Unpack_external_c(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      import
      character(len=*) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize
      integer(MPI_COUNT_KIND) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(MPI_COUNT_KIND), intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Unpublish_name
    subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Unpublish_name
    subroutine PMPI_Unpublish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*) :: port_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Wait
    subroutine MPI_Wait(request, status, ierror)
      import
      type(MPI_Request) :: request
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Wait
    subroutine PMPI_Wait(request, status, ierror)
      import
      type(MPI_Request) :: request
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Waitall
    subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Waitall
    subroutine PMPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Waitany
    subroutine MPI_Waitany(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Waitany
    subroutine PMPI_Waitany(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request) :: array_of_requests(*)
      integer :: index
      type(MPI_Status) :: status
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Waitsome
    subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Waitsome
    subroutine PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request) :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_allocate
    subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_allocate
    subroutine PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_allocate_shared
    subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_allocate_shared
    subroutine PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_win_attach(win, base, size, ierror) &
        bind(C, name="mpi_win_attach_")
      import
      type(MPI_Win), intent(in) :: win
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_attach
    procedure MPI_Win_attach
  end interface
  interface
    subroutine at_pmpi_win_attach(win, base, size, ierror) &
        bind(C, name="pmpi_win_attach_")
      import
      type(MPI_Win), intent(in) :: win
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_attach
    procedure PMPI_Win_attach
  end interface
  interface MPI_Win_call_errhandler
    subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_call_errhandler
    subroutine PMPI_Win_call_errhandler(win, errorcode, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: errorcode
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_complete
    subroutine MPI_Win_complete(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_complete
    subroutine PMPI_Win_complete(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface
    subroutine at_mpi_win_create(base, size, disp_unit, info, comm, win, ierror) &
        bind(C, name="mpi_win_create_")
      import
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_mpi_win_create_c(base, size, disp_unit, info, comm, win, ierror) &
        bind(C, name="mpi_win_create_c_")
      import
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_create
    procedure MPI_Win_create
    procedure MPI_Win_create_c
  end interface
  interface
    subroutine at_pmpi_win_create(base, size, disp_unit, info, comm, win, ierror) &
        bind(C, name="pmpi_win_create_")
      import
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
    subroutine at_pmpi_win_create_c(base, size, disp_unit, info, comm, win, ierror) &
        bind(C, name="pmpi_win_create_c_")
      import
      type(c_ptr), value :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_create
    procedure PMPI_Win_create
    procedure PMPI_Win_create_c
  end interface
  interface MPI_Win_create_dynamic
    subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_create_dynamic
    subroutine PMPI_Win_create_dynamic(info, comm, win, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_create_errhandler
    subroutine MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Win_errhandler_function) :: win_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_create_errhandler
    subroutine PMPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Win_errhandler_function) :: win_errhandler_fn
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_create_keyval
    subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      integer :: win_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_create_keyval
    subroutine PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      integer :: win_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_delete_attr
    subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_delete_attr
    subroutine PMPI_Win_delete_attr(win, win_keyval, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_detach
    subroutine MPI_Win_detach(win, base, ierror)
      import
      type(MPI_Win), intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_detach
    subroutine PMPI_Win_detach(win, base, ierror)
      import
      type(MPI_Win), intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_fence
    subroutine MPI_Win_fence(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_fence
    subroutine PMPI_Win_fence(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_flush
    subroutine MPI_Win_flush(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_flush
    subroutine PMPI_Win_flush(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_flush_all
    subroutine MPI_Win_flush_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_flush_all
    subroutine PMPI_Win_flush_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_flush_local
    subroutine MPI_Win_flush_local(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_flush_local
    subroutine PMPI_Win_flush_local(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_flush_local_all
    subroutine MPI_Win_flush_local_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_flush_local_all
    subroutine PMPI_Win_flush_local_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_free
    subroutine MPI_Win_free(win, ierror)
      import
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_free
    subroutine PMPI_Win_free(win, ierror)
      import
      type(MPI_Win) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_free_keyval
    subroutine MPI_Win_free_keyval(win_keyval, ierror)
      import
      integer :: win_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_free_keyval
    subroutine PMPI_Win_free_keyval(win_keyval, ierror)
      import
      integer :: win_keyval
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_get_attr
    subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_get_attr
    subroutine PMPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_get_errhandler
    subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_get_errhandler
    subroutine PMPI_Win_get_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_get_group
    subroutine MPI_Win_get_group(win, group, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_get_group
    subroutine PMPI_Win_get_group(win, group, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Group) :: group
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_get_info
    subroutine MPI_Win_get_info(win, info_used, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_get_info
    subroutine PMPI_Win_get_info(win, info_used, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info) :: info_used
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_get_name
    subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*) :: win_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_get_name
    subroutine PMPI_Win_get_name(win, win_name, resultlen, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*) :: win_name
      integer :: resultlen
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_lock
    subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_lock
    subroutine PMPI_Win_lock(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_lock_all
    subroutine MPI_Win_lock_all(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_lock_all
    subroutine PMPI_Win_lock_all(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_post
    subroutine MPI_Win_post(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_post
    subroutine PMPI_Win_post(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_set_attr
    subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_set_attr
    subroutine PMPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_set_errhandler
    subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_set_errhandler
    subroutine PMPI_Win_set_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_set_info
    subroutine MPI_Win_set_info(win, info, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_set_info
    subroutine PMPI_Win_set_info(win, info, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(in) :: info
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_set_name
    subroutine MPI_Win_set_name(win, win_name, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*) :: win_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_set_name
    subroutine PMPI_Win_set_name(win, win_name, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*) :: win_name
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_shared_query
    subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Win_shared_query_c(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer(MPI_ADDRESS_KIND) :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_shared_query
    subroutine PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
    subroutine PMPI_Win_shared_query_c(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer(MPI_ADDRESS_KIND) :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_start
    subroutine MPI_Win_start(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_start
    subroutine PMPI_Win_start(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_sync
    subroutine MPI_Win_sync(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_sync
    subroutine PMPI_Win_sync(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_test
    subroutine MPI_Win_test(win, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_test
    subroutine PMPI_Win_test(win, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      logical :: flag
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_unlock
    subroutine MPI_Win_unlock(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_unlock
    subroutine PMPI_Win_unlock(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_unlock_all
    subroutine MPI_Win_unlock_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_unlock_all
    subroutine PMPI_Win_unlock_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Win_wait
    subroutine MPI_Win_wait(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface PMPI_Win_wait
    subroutine PMPI_Win_wait(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
    end subroutine
  end interface
  interface MPI_Wtick
    function MPI_Wtick()
      import
      real(8) :: MPI_Wtick
    end function
  end interface
  interface PMPI_Wtick
    function PMPI_Wtick()
      import
      real(8) :: PMPI_Wtick
    end function
  end interface
  interface MPI_Wtime
    function MPI_Wtime()
      import
      real(8) :: MPI_Wtime
    end function
  end interface
  interface PMPI_Wtime
    function PMPI_Wtime()
      import
      real(8) :: PMPI_Wtime
    end function
  end interface

  interface
    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
      import
      integer :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status) :: f08_status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
      import
      type(MPI_Status) :: f08_status
      integer :: f_status(MPI_STATUS_SIZE)
      integer, optional :: ierror
    end subroutine
  end interface

contains

    ! An empty or null buffer counts as contiguous: ranks without data pass one.
    subroutine odonata_check(buf, name)
      use, intrinsic :: iso_c_binding, only: c_associated
      use, intrinsic :: iso_fortran_env, only: error_unit
      type(*), dimension(..), target :: buf
      character(len=*), intent(in) :: name
      if (is_contiguous(buf)) return
      if (.not. c_associated(c_loc(buf)) .or. size(buf) == 0) return
      write (error_unit, '(3a)') name, ' uses its buffer after it has returned, and was given ', &
        'a noncontiguous array section, of which only a temporary copy exists ', &
        '(MPI_SUBARRAYS_SUPPORTED is false): pass a datatype, for example of MPI_Type_vector'
      flush (error_unit)
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine

    subroutine MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Accumulate')
      call at_mpi_accumulate(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine MPI_Accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Accumulate_c')
      call at_mpi_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Accumulate')
      call at_pmpi_accumulate(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine PMPI_Accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Accumulate_c')
      call at_pmpi_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine MPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allgather_init')
      call odonata_check(recvbuf, 'MPI_Allgather_init')
      call at_mpi_allgather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allgather_init_c')
      call odonata_check(recvbuf, 'MPI_Allgather_init_c')
      call at_mpi_allgather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allgather_init')
      call odonata_check(recvbuf, 'PMPI_Allgather_init')
      call at_pmpi_allgather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allgather_init_c')
      call odonata_check(recvbuf, 'PMPI_Allgather_init_c')
      call at_pmpi_allgather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allgatherv_init')
      call odonata_check(recvbuf, 'MPI_Allgatherv_init')
      call at_mpi_allgatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allgatherv_init_c')
      call odonata_check(recvbuf, 'MPI_Allgatherv_init_c')
      call at_mpi_allgatherv_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allgatherv_init')
      call odonata_check(recvbuf, 'PMPI_Allgatherv_init')
      call at_pmpi_allgatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allgatherv_init_c')
      call odonata_check(recvbuf, 'PMPI_Allgatherv_init_c')
      call at_pmpi_allgatherv_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allreduce_init')
      call odonata_check(recvbuf, 'MPI_Allreduce_init')
      call at_mpi_allreduce_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Allreduce_init_c')
      call odonata_check(recvbuf, 'MPI_Allreduce_init_c')
      call at_mpi_allreduce_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, &
        info, request, ierror)
    end subroutine

    subroutine PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allreduce_init')
      call odonata_check(recvbuf, 'PMPI_Allreduce_init')
      call at_pmpi_allreduce_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, &
        info, request, ierror)
    end subroutine

    subroutine PMPI_Allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Allreduce_init_c')
      call odonata_check(recvbuf, 'PMPI_Allreduce_init_c')
      call at_pmpi_allreduce_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, &
        info, request, ierror)
    end subroutine

    subroutine MPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoall_init')
      call odonata_check(recvbuf, 'MPI_Alltoall_init')
      call at_mpi_alltoall_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoall_init_c')
      call odonata_check(recvbuf, 'MPI_Alltoall_init_c')
      call at_mpi_alltoall_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoall_init')
      call odonata_check(recvbuf, 'PMPI_Alltoall_init')
      call at_pmpi_alltoall_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoall_init_c')
      call odonata_check(recvbuf, 'PMPI_Alltoall_init_c')
      call at_pmpi_alltoall_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoallv_init')
      call odonata_check(recvbuf, 'MPI_Alltoallv_init')
      call at_mpi_alltoallv_init(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoallv_init_c')
      call odonata_check(recvbuf, 'MPI_Alltoallv_init_c')
      call at_mpi_alltoallv_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoallv_init')
      call odonata_check(recvbuf, 'PMPI_Alltoallv_init')
      call at_pmpi_alltoallv_init(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoallv_init_c')
      call odonata_check(recvbuf, 'PMPI_Alltoallv_init_c')
      call at_pmpi_alltoallv_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoallw_init')
      call odonata_check(recvbuf, 'MPI_Alltoallw_init')
      call at_mpi_alltoallw_init(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Alltoallw_init_c')
      call odonata_check(recvbuf, 'MPI_Alltoallw_init_c')
      call at_mpi_alltoallw_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoallw_init')
      call odonata_check(recvbuf, 'PMPI_Alltoallw_init')
      call at_pmpi_alltoallw_init(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Alltoallw_init_c')
      call odonata_check(recvbuf, 'PMPI_Alltoallw_init_c')
      call at_pmpi_alltoallw_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Bcast_init')
      call at_mpi_bcast_init(c_loc(buffer), count, datatype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Bcast_init_c(buffer, count, datatype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Bcast_init_c')
      call at_mpi_bcast_init_c(c_loc(buffer), count, datatype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Bcast_init')
      call at_pmpi_bcast_init(c_loc(buffer), count, datatype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Bcast_init_c(buffer, count, datatype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Bcast_init_c')
      call at_pmpi_bcast_init_c(c_loc(buffer), count, datatype, root, comm, info, request, &
        ierror)
    end subroutine

    subroutine MPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Bsend_init')
      call at_mpi_bsend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Bsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Bsend_init_c')
      call at_mpi_bsend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Bsend_init')
      call at_pmpi_bsend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Bsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Bsend_init_c')
      call at_pmpi_bsend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Buffer_attach(buffer, size, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Buffer_attach')
      call at_mpi_buffer_attach(c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Buffer_attach_c(buffer, size, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Buffer_attach_c')
      call at_mpi_buffer_attach_c(c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Buffer_attach(buffer, size, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Buffer_attach')
      call at_pmpi_buffer_attach(c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Buffer_attach_c(buffer, size, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Buffer_attach_c')
      call at_pmpi_buffer_attach_c(c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Comm_attach_buffer(comm, buffer, size, ierror)
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Comm_attach_buffer')
      call at_mpi_comm_attach_buffer(comm, c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Comm_attach_buffer_c(comm, buffer, size, ierror)
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Comm_attach_buffer_c')
      call at_mpi_comm_attach_buffer_c(comm, c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Comm_attach_buffer(comm, buffer, size, ierror)
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Comm_attach_buffer')
      call at_pmpi_comm_attach_buffer(comm, c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Comm_attach_buffer_c(comm, buffer, size, ierror)
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Comm_attach_buffer_c')
      call at_pmpi_comm_attach_buffer_c(comm, c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror)
      type(*), dimension(..), target :: origin_addr
      type(*), dimension(..), target :: compare_addr
      type(*), dimension(..), target :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Compare_and_swap')
      call odonata_check(compare_addr, 'MPI_Compare_and_swap')
      call odonata_check(result_addr, 'MPI_Compare_and_swap')
      call at_mpi_compare_and_swap(c_loc(origin_addr), c_loc(compare_addr), c_loc(result_addr), &
        datatype, target_rank, target_disp, win, ierror)
    end subroutine

    subroutine PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror)
      type(*), dimension(..), target :: origin_addr
      type(*), dimension(..), target :: compare_addr
      type(*), dimension(..), target :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Compare_and_swap')
      call odonata_check(compare_addr, 'PMPI_Compare_and_swap')
      call odonata_check(result_addr, 'PMPI_Compare_and_swap')
      call at_pmpi_compare_and_swap(c_loc(origin_addr), c_loc(compare_addr), c_loc(result_addr), &
        datatype, target_rank, target_disp, win, ierror)
    end subroutine

    subroutine MPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Exscan_init')
      call odonata_check(recvbuf, 'MPI_Exscan_init')
      call at_mpi_exscan_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Exscan_init_c')
      call odonata_check(recvbuf, 'MPI_Exscan_init_c')
      call at_mpi_exscan_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Exscan_init')
      call odonata_check(recvbuf, 'PMPI_Exscan_init')
      call at_pmpi_exscan_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Exscan_init_c')
      call odonata_check(recvbuf, 'PMPI_Exscan_init_c')
      call at_pmpi_exscan_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, &
        win, ierror)
      type(*), dimension(..), target :: origin_addr
      type(*), dimension(..), target :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Fetch_and_op')
      call odonata_check(result_addr, 'MPI_Fetch_and_op')
      call at_mpi_fetch_and_op(c_loc(origin_addr), c_loc(result_addr), datatype, target_rank, &
        target_disp, op, win, ierror)
    end subroutine

    subroutine PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, &
        op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      type(*), dimension(..), target :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Fetch_and_op')
      call odonata_check(result_addr, 'PMPI_Fetch_and_op')
      call at_pmpi_fetch_and_op(c_loc(origin_addr), c_loc(result_addr), datatype, target_rank, &
        target_disp, op, win, ierror)
    end subroutine

    subroutine MPI_File_iread(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread')
      call at_mpi_file_iread(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_c')
      call at_mpi_file_iread_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread')
      call at_pmpi_file_iread(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_c')
      call at_pmpi_file_iread_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_all')
      call at_mpi_file_iread_all(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_all_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_all_c')
      call at_mpi_file_iread_all_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_all')
      call at_pmpi_file_iread_all(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_all_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_all_c')
      call at_pmpi_file_iread_all_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_at')
      call at_mpi_file_iread_at(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_at_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_at_c')
      call at_mpi_file_iread_at_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_at')
      call at_pmpi_file_iread_at(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_at_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_at_c')
      call at_pmpi_file_iread_at_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_at_all')
      call at_mpi_file_iread_at_all(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_at_all_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_at_all_c')
      call at_mpi_file_iread_at_all_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_at_all')
      call at_pmpi_file_iread_at_all(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_at_all_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_at_all_c')
      call at_pmpi_file_iread_at_all_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_shared')
      call at_mpi_file_iread_shared(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iread_shared_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iread_shared_c')
      call at_mpi_file_iread_shared_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_shared')
      call at_pmpi_file_iread_shared(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iread_shared_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iread_shared_c')
      call at_pmpi_file_iread_shared_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite')
      call at_mpi_file_iwrite(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_c')
      call at_mpi_file_iwrite_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite')
      call at_pmpi_file_iwrite(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_c')
      call at_pmpi_file_iwrite_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_all')
      call at_mpi_file_iwrite_all(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_all_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_all_c')
      call at_mpi_file_iwrite_all_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_all')
      call at_pmpi_file_iwrite_all(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_all_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_all_c')
      call at_pmpi_file_iwrite_all_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_at')
      call at_mpi_file_iwrite_at(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_at_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_at_c')
      call at_mpi_file_iwrite_at_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_at')
      call at_pmpi_file_iwrite_at(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_at_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_at_c')
      call at_pmpi_file_iwrite_at_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_at_all')
      call at_mpi_file_iwrite_at_all(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_at_all_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_at_all_c')
      call at_mpi_file_iwrite_at_all_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_at_all')
      call at_pmpi_file_iwrite_at_all(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_at_all_c(fh, offset, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_at_all_c')
      call at_pmpi_file_iwrite_at_all_c(fh, offset, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_shared')
      call at_mpi_file_iwrite_shared(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_iwrite_shared_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_iwrite_shared_c')
      call at_mpi_file_iwrite_shared_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_shared')
      call at_pmpi_file_iwrite_shared(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine PMPI_File_iwrite_shared_c(fh, buf, count, datatype, request, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_iwrite_shared_c')
      call at_pmpi_file_iwrite_shared_c(fh, c_loc(buf), count, datatype, request, ierror)
    end subroutine

    subroutine MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_all_begin')
      call at_mpi_file_read_all_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_read_all_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_all_begin_c')
      call at_mpi_file_read_all_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_all_begin')
      call at_pmpi_file_read_all_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_all_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_all_begin_c')
      call at_pmpi_file_read_all_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_at_all_begin')
      call at_mpi_file_read_at_all_begin(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_read_at_all_begin_c(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_at_all_begin_c')
      call at_mpi_file_read_at_all_begin_c(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_at_all_begin')
      call at_pmpi_file_read_at_all_begin(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_at_all_begin_c(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_at_all_begin_c')
      call at_pmpi_file_read_at_all_begin_c(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_ordered_begin')
      call at_mpi_file_read_ordered_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_read_ordered_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_read_ordered_begin_c')
      call at_mpi_file_read_ordered_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_ordered_begin')
      call at_pmpi_file_read_ordered_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_read_ordered_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_read_ordered_begin_c')
      call at_pmpi_file_read_ordered_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_all_begin')
      call at_mpi_file_write_all_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_all_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_all_begin_c')
      call at_mpi_file_write_all_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_all_begin')
      call at_pmpi_file_write_all_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_all_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_all_begin_c')
      call at_pmpi_file_write_all_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_at_all_begin')
      call at_mpi_file_write_at_all_begin(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_at_all_begin_c(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_at_all_begin_c')
      call at_mpi_file_write_at_all_begin_c(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_at_all_begin')
      call at_pmpi_file_write_at_all_begin(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_at_all_begin_c(fh, offset, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_at_all_begin_c')
      call at_pmpi_file_write_at_all_begin_c(fh, offset, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_ordered_begin')
      call at_mpi_file_write_ordered_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_File_write_ordered_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_File_write_ordered_begin_c')
      call at_mpi_file_write_ordered_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_ordered_begin')
      call at_pmpi_file_write_ordered_begin(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine PMPI_File_write_ordered_begin_c(fh, buf, count, datatype, ierror)
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_File_write_ordered_begin_c')
      call at_pmpi_file_write_ordered_begin_c(fh, c_loc(buf), count, datatype, ierror)
    end subroutine

    subroutine MPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Gather_init')
      call odonata_check(recvbuf, 'MPI_Gather_init')
      call at_mpi_gather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Gather_init_c')
      call odonata_check(recvbuf, 'MPI_Gather_init_c')
      call at_mpi_gather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Gather_init')
      call odonata_check(recvbuf, 'PMPI_Gather_init')
      call at_pmpi_gather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Gather_init_c')
      call odonata_check(recvbuf, 'PMPI_Gather_init_c')
      call at_pmpi_gather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Gatherv_init')
      call odonata_check(recvbuf, 'MPI_Gatherv_init')
      call at_mpi_gatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Gatherv_init_c')
      call odonata_check(recvbuf, 'MPI_Gatherv_init_c')
      call at_mpi_gatherv_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Gatherv_init')
      call odonata_check(recvbuf, 'PMPI_Gatherv_init')
      call at_pmpi_gatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Gatherv_init_c')
      call odonata_check(recvbuf, 'PMPI_Gatherv_init_c')
      call at_pmpi_gatherv_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Get')
      call at_mpi_get(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine MPI_Get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Get_c')
      call at_mpi_get_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Get')
      call at_pmpi_get(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine PMPI_Get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Get_c')
      call at_pmpi_get_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Get_accumulate')
      call odonata_check(result_addr, 'MPI_Get_accumulate')
      call at_mpi_get_accumulate(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine MPI_Get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Get_accumulate_c')
      call odonata_check(result_addr, 'MPI_Get_accumulate_c')
      call at_mpi_get_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine PMPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Get_accumulate')
      call odonata_check(result_addr, 'PMPI_Get_accumulate')
      call at_pmpi_get_accumulate(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine PMPI_Get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Get_accumulate_c')
      call odonata_check(result_addr, 'PMPI_Get_accumulate_c')
      call at_pmpi_get_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
    end subroutine

    subroutine MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallgather')
      call odonata_check(recvbuf, 'MPI_Iallgather')
      call at_mpi_iallgather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallgather_c')
      call odonata_check(recvbuf, 'MPI_Iallgather_c')
      call at_mpi_iallgather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallgather')
      call odonata_check(recvbuf, 'PMPI_Iallgather')
      call at_pmpi_iallgather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallgather_c')
      call odonata_check(recvbuf, 'PMPI_Iallgather_c')
      call at_pmpi_iallgather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallgatherv')
      call odonata_check(recvbuf, 'MPI_Iallgatherv')
      call at_mpi_iallgatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallgatherv_c')
      call odonata_check(recvbuf, 'MPI_Iallgatherv_c')
      call at_mpi_iallgatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallgatherv')
      call odonata_check(recvbuf, 'PMPI_Iallgatherv')
      call at_pmpi_iallgatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallgatherv_c')
      call odonata_check(recvbuf, 'PMPI_Iallgatherv_c')
      call at_pmpi_iallgatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallreduce')
      call odonata_check(recvbuf, 'MPI_Iallreduce')
      call at_mpi_iallreduce(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine MPI_Iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iallreduce_c')
      call odonata_check(recvbuf, 'MPI_Iallreduce_c')
      call at_mpi_iallreduce_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, &
        request, ierror)
    end subroutine

    subroutine PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallreduce')
      call odonata_check(recvbuf, 'PMPI_Iallreduce')
      call at_pmpi_iallreduce(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine PMPI_Iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iallreduce_c')
      call odonata_check(recvbuf, 'PMPI_Iallreduce_c')
      call at_pmpi_iallreduce_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, &
        request, ierror)
    end subroutine

    subroutine MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoall')
      call odonata_check(recvbuf, 'MPI_Ialltoall')
      call at_mpi_ialltoall(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoall_c')
      call odonata_check(recvbuf, 'MPI_Ialltoall_c')
      call at_mpi_ialltoall_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoall')
      call odonata_check(recvbuf, 'PMPI_Ialltoall')
      call at_pmpi_ialltoall(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoall_c')
      call odonata_check(recvbuf, 'PMPI_Ialltoall_c')
      call at_pmpi_ialltoall_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoallv')
      call odonata_check(recvbuf, 'MPI_Ialltoallv')
      call at_mpi_ialltoallv(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoallv_c')
      call odonata_check(recvbuf, 'MPI_Ialltoallv_c')
      call at_mpi_ialltoallv_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoallv')
      call odonata_check(recvbuf, 'PMPI_Ialltoallv')
      call at_pmpi_ialltoallv(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoallv_c')
      call odonata_check(recvbuf, 'PMPI_Ialltoallv_c')
      call at_pmpi_ialltoallv_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, c_loc(recvbuf), &
        recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoallw')
      call odonata_check(recvbuf, 'MPI_Ialltoallw')
      call at_mpi_ialltoallw(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine MPI_Ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ialltoallw_c')
      call odonata_check(recvbuf, 'MPI_Ialltoallw_c')
      call at_mpi_ialltoallw_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoallw')
      call odonata_check(recvbuf, 'PMPI_Ialltoallw')
      call at_pmpi_ialltoallw(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ialltoallw_c')
      call odonata_check(recvbuf, 'PMPI_Ialltoallw_c')
      call at_pmpi_ialltoallw_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, c_loc(recvbuf), &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Ibcast')
      call at_mpi_ibcast(c_loc(buffer), count, datatype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Ibcast_c(buffer, count, datatype, root, comm, request, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Ibcast_c')
      call at_mpi_ibcast_c(c_loc(buffer), count, datatype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Ibcast')
      call at_pmpi_ibcast(c_loc(buffer), count, datatype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ibcast_c(buffer, count, datatype, root, comm, request, ierror)
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Ibcast_c')
      call at_pmpi_ibcast_c(c_loc(buffer), count, datatype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Ibsend')
      call at_mpi_ibsend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Ibsend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Ibsend_c')
      call at_mpi_ibsend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Ibsend')
      call at_pmpi_ibsend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ibsend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Ibsend_c')
      call at_pmpi_ibsend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iexscan')
      call odonata_check(recvbuf, 'MPI_Iexscan')
      call at_mpi_iexscan(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine MPI_Iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iexscan_c')
      call odonata_check(recvbuf, 'MPI_Iexscan_c')
      call at_mpi_iexscan_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iexscan')
      call odonata_check(recvbuf, 'PMPI_Iexscan')
      call at_pmpi_iexscan(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine PMPI_Iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iexscan_c')
      call odonata_check(recvbuf, 'PMPI_Iexscan_c')
      call at_pmpi_iexscan_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Igather')
      call odonata_check(recvbuf, 'MPI_Igather')
      call at_mpi_igather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Igather_c')
      call odonata_check(recvbuf, 'MPI_Igather_c')
      call at_mpi_igather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Igather')
      call odonata_check(recvbuf, 'PMPI_Igather')
      call at_pmpi_igather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Igather_c')
      call odonata_check(recvbuf, 'PMPI_Igather_c')
      call at_pmpi_igather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Igatherv')
      call odonata_check(recvbuf, 'MPI_Igatherv')
      call at_mpi_igatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Igatherv_c')
      call odonata_check(recvbuf, 'MPI_Igatherv_c')
      call at_mpi_igatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Igatherv')
      call odonata_check(recvbuf, 'PMPI_Igatherv')
      call at_pmpi_igatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Igatherv_c')
      call odonata_check(recvbuf, 'PMPI_Igatherv_c')
      call at_pmpi_igatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcounts, &
        displs, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Imrecv(buf, count, datatype, message, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Imrecv')
      call at_mpi_imrecv(c_loc(buf), count, datatype, message, request, ierror)
    end subroutine

    subroutine MPI_Imrecv_c(buf, count, datatype, message, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Imrecv_c')
      call at_mpi_imrecv_c(c_loc(buf), count, datatype, message, request, ierror)
    end subroutine

    subroutine PMPI_Imrecv(buf, count, datatype, message, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Imrecv')
      call at_pmpi_imrecv(c_loc(buf), count, datatype, message, request, ierror)
    end subroutine

    subroutine PMPI_Imrecv_c(buf, count, datatype, message, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Imrecv_c')
      call at_pmpi_imrecv_c(c_loc(buf), count, datatype, message, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_allgather')
      call odonata_check(recvbuf, 'MPI_Ineighbor_allgather')
      call at_mpi_ineighbor_allgather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_allgather_c')
      call odonata_check(recvbuf, 'MPI_Ineighbor_allgather_c')
      call at_mpi_ineighbor_allgather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_allgather')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_allgather')
      call at_pmpi_ineighbor_allgather(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_allgather_c')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_allgather_c')
      call at_pmpi_ineighbor_allgather_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_allgatherv')
      call odonata_check(recvbuf, 'MPI_Ineighbor_allgatherv')
      call at_mpi_ineighbor_allgatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_allgatherv_c')
      call odonata_check(recvbuf, 'MPI_Ineighbor_allgatherv_c')
      call at_mpi_ineighbor_allgatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_allgatherv')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_allgatherv')
      call at_pmpi_ineighbor_allgatherv(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_allgatherv_c')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_allgatherv_c')
      call at_pmpi_ineighbor_allgatherv_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoall')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoall')
      call at_mpi_ineighbor_alltoall(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoall_c')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoall_c')
      call at_mpi_ineighbor_alltoall_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoall')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoall')
      call at_pmpi_ineighbor_alltoall(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoall_c')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoall_c')
      call at_pmpi_ineighbor_alltoall_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoallv')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoallv')
      call at_mpi_ineighbor_alltoallv(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoallv_c')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoallv_c')
      call at_mpi_ineighbor_alltoallv_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoallv')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoallv')
      call at_pmpi_ineighbor_alltoallv(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoallv_c')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoallv_c')
      call at_pmpi_ineighbor_alltoallv_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoallw')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoallw')
      call at_mpi_ineighbor_alltoallw(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine MPI_Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ineighbor_alltoallw_c')
      call odonata_check(recvbuf, 'MPI_Ineighbor_alltoallw_c')
      call at_mpi_ineighbor_alltoallw_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoallw')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoallw')
      call at_pmpi_ineighbor_alltoallw(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ineighbor_alltoallw_c')
      call odonata_check(recvbuf, 'PMPI_Ineighbor_alltoallw_c')
      call at_pmpi_ineighbor_alltoallw_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, request, ierror)
    end subroutine

    subroutine MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Irecv')
      call at_mpi_irecv(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Irecv_c(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Irecv_c')
      call at_mpi_irecv_c(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Irecv')
      call at_pmpi_irecv(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Irecv_c(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Irecv_c')
      call at_pmpi_irecv_c(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce')
      call odonata_check(recvbuf, 'MPI_Ireduce')
      call at_mpi_ireduce(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        request, ierror)
    end subroutine

    subroutine MPI_Ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce_c')
      call odonata_check(recvbuf, 'MPI_Ireduce_c')
      call at_mpi_ireduce_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        request, ierror)
    end subroutine

    subroutine PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce')
      call odonata_check(recvbuf, 'PMPI_Ireduce')
      call at_pmpi_ireduce(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        request, ierror)
    end subroutine

    subroutine PMPI_Ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce_c')
      call odonata_check(recvbuf, 'PMPI_Ireduce_c')
      call at_pmpi_ireduce_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        request, ierror)
    end subroutine

    subroutine MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce_scatter')
      call odonata_check(recvbuf, 'MPI_Ireduce_scatter')
      call at_mpi_ireduce_scatter(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, comm, &
        request, ierror)
    end subroutine

    subroutine MPI_Ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce_scatter_c')
      call odonata_check(recvbuf, 'MPI_Ireduce_scatter_c')
      call at_mpi_ireduce_scatter_c(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, request, ierror)
    end subroutine

    subroutine PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce_scatter')
      call odonata_check(recvbuf, 'PMPI_Ireduce_scatter')
      call at_pmpi_ireduce_scatter(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, request, ierror)
    end subroutine

    subroutine PMPI_Ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce_scatter_c')
      call odonata_check(recvbuf, 'PMPI_Ireduce_scatter_c')
      call at_pmpi_ireduce_scatter_c(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, request, ierror)
    end subroutine

    subroutine MPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce_scatter_block')
      call odonata_check(recvbuf, 'MPI_Ireduce_scatter_block')
      call at_mpi_ireduce_scatter_block(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, op, &
        comm, request, ierror)
    end subroutine

    subroutine MPI_Ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Ireduce_scatter_block_c')
      call odonata_check(recvbuf, 'MPI_Ireduce_scatter_block_c')
      call at_mpi_ireduce_scatter_block_c(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, &
        op, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce_scatter_block')
      call odonata_check(recvbuf, 'PMPI_Ireduce_scatter_block')
      call at_pmpi_ireduce_scatter_block(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, op, &
        comm, request, ierror)
    end subroutine

    subroutine PMPI_Ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Ireduce_scatter_block_c')
      call odonata_check(recvbuf, 'PMPI_Ireduce_scatter_block_c')
      call at_pmpi_ireduce_scatter_block_c(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, &
        op, comm, request, ierror)
    end subroutine

    subroutine MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Irsend')
      call at_mpi_irsend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Irsend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Irsend_c')
      call at_mpi_irsend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Irsend')
      call at_pmpi_irsend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Irsend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Irsend_c')
      call at_pmpi_irsend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscan')
      call odonata_check(recvbuf, 'MPI_Iscan')
      call at_mpi_iscan(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine MPI_Iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscan_c')
      call odonata_check(recvbuf, 'MPI_Iscan_c')
      call at_mpi_iscan_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscan')
      call odonata_check(recvbuf, 'PMPI_Iscan')
      call at_pmpi_iscan(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine PMPI_Iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscan_c')
      call odonata_check(recvbuf, 'PMPI_Iscan_c')
      call at_pmpi_iscan_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, request, &
        ierror)
    end subroutine

    subroutine MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscatter')
      call odonata_check(recvbuf, 'MPI_Iscatter')
      call at_mpi_iscatter(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscatter_c')
      call odonata_check(recvbuf, 'MPI_Iscatter_c')
      call at_mpi_iscatter_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscatter')
      call odonata_check(recvbuf, 'PMPI_Iscatter')
      call at_pmpi_iscatter(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscatter_c')
      call odonata_check(recvbuf, 'PMPI_Iscatter_c')
      call at_pmpi_iscatter_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscatterv')
      call odonata_check(recvbuf, 'MPI_Iscatterv')
      call at_mpi_iscatterv(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Iscatterv_c')
      call odonata_check(recvbuf, 'MPI_Iscatterv_c')
      call at_mpi_iscatterv_c(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscatterv')
      call odonata_check(recvbuf, 'PMPI_Iscatterv')
      call at_pmpi_iscatterv(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine PMPI_Iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Iscatterv_c')
      call odonata_check(recvbuf, 'PMPI_Iscatterv_c')
      call at_pmpi_iscatterv_c(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, request, ierror)
    end subroutine

    subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Isend')
      call at_mpi_isend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Isend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Isend_c')
      call at_mpi_isend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Isend')
      call at_pmpi_isend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Isend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Isend_c')
      call at_pmpi_isend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Isendrecv')
      call odonata_check(recvbuf, 'MPI_Isendrecv')
      call at_mpi_isendrecv(c_loc(sendbuf), sendcount, sendtype, dest, sendtag, c_loc(recvbuf), &
        recvcount, recvtype, source, recvtag, comm, request, ierror)
    end subroutine

    subroutine MPI_Isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Isendrecv_c')
      call odonata_check(recvbuf, 'MPI_Isendrecv_c')
      call at_mpi_isendrecv_c(c_loc(sendbuf), sendcount, sendtype, dest, sendtag, c_loc(recvbuf), &
        recvcount, recvtype, source, recvtag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Isendrecv')
      call odonata_check(recvbuf, 'PMPI_Isendrecv')
      call at_pmpi_isendrecv(c_loc(sendbuf), sendcount, sendtype, dest, sendtag, c_loc(recvbuf), &
        recvcount, recvtype, source, recvtag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Isendrecv_c')
      call odonata_check(recvbuf, 'PMPI_Isendrecv_c')
      call at_pmpi_isendrecv_c(c_loc(sendbuf), sendcount, sendtype, dest, sendtag, &
        c_loc(recvbuf), recvcount, recvtype, source, recvtag, comm, request, ierror)
    end subroutine

    subroutine MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Isendrecv_replace')
      call at_mpi_isendrecv_replace(c_loc(buf), count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
    end subroutine

    subroutine MPI_Isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Isendrecv_replace_c')
      call at_mpi_isendrecv_replace_c(c_loc(buf), count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Isendrecv_replace')
      call at_pmpi_isendrecv_replace(c_loc(buf), count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
    end subroutine

    subroutine PMPI_Isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Isendrecv_replace_c')
      call at_pmpi_isendrecv_replace_c(c_loc(buf), count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror)
    end subroutine

    subroutine MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Issend')
      call at_mpi_issend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Issend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Issend_c')
      call at_mpi_issend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Issend')
      call at_pmpi_issend(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Issend_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Issend_c')
      call at_pmpi_issend_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_allgather_init')
      call odonata_check(recvbuf, 'MPI_Neighbor_allgather_init')
      call at_mpi_neighbor_allgather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_allgather_init_c')
      call odonata_check(recvbuf, 'MPI_Neighbor_allgather_init_c')
      call at_mpi_neighbor_allgather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_allgather_init')
      call odonata_check(recvbuf, 'PMPI_Neighbor_allgather_init')
      call at_pmpi_neighbor_allgather_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_allgather_init_c')
      call odonata_check(recvbuf, 'PMPI_Neighbor_allgather_init_c')
      call at_pmpi_neighbor_allgather_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_allgatherv_init')
      call odonata_check(recvbuf, 'MPI_Neighbor_allgatherv_init')
      call at_mpi_neighbor_allgatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_allgatherv_init_c')
      call odonata_check(recvbuf, 'MPI_Neighbor_allgatherv_init_c')
      call at_mpi_neighbor_allgatherv_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_allgatherv_init')
      call odonata_check(recvbuf, 'PMPI_Neighbor_allgatherv_init')
      call at_pmpi_neighbor_allgatherv_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_allgatherv_init_c')
      call odonata_check(recvbuf, 'PMPI_Neighbor_allgatherv_init_c')
      call at_pmpi_neighbor_allgatherv_init_c(c_loc(sendbuf), sendcount, sendtype, &
        c_loc(recvbuf), recvcounts, displs, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoall_init')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoall_init')
      call at_mpi_neighbor_alltoall_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoall_init_c')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoall_init_c')
      call at_mpi_neighbor_alltoall_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoall_init')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoall_init')
      call at_pmpi_neighbor_alltoall_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoall_init_c')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoall_init_c')
      call at_pmpi_neighbor_alltoall_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoallv_init')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoallv_init')
      call at_mpi_neighbor_alltoallv_init(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoallv_init_c')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoallv_init_c')
      call at_mpi_neighbor_alltoallv_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoallv_init')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoallv_init')
      call at_pmpi_neighbor_alltoallv_init(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype), intent(in) :: recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoallv_init_c')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoallv_init_c')
      call at_pmpi_neighbor_alltoallv_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtype, &
        c_loc(recvbuf), recvcounts, rdispls, recvtype, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoallw_init')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoallw_init')
      call at_mpi_neighbor_alltoallw_init(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Neighbor_alltoallw_init_c')
      call odonata_check(recvbuf, 'MPI_Neighbor_alltoallw_init_c')
      call at_mpi_neighbor_alltoallw_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoallw_init')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoallw_init')
      call at_pmpi_neighbor_alltoallw_init(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: sdispls(*)
      type(MPI_Datatype) :: sendtypes(*)
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      integer(MPI_ADDRESS_KIND) :: rdispls(*)
      type(MPI_Datatype) :: recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Neighbor_alltoallw_init_c')
      call odonata_check(recvbuf, 'PMPI_Neighbor_alltoallw_init_c')
      call at_pmpi_neighbor_alltoallw_init_c(c_loc(sendbuf), sendcounts, sdispls, sendtypes, &
        c_loc(recvbuf), recvcounts, rdispls, recvtypes, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Precv_init')
      call at_mpi_precv_init(c_loc(buf), partitions, count, datatype, source, tag, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Precv_init')
      call at_pmpi_precv_init(c_loc(buf), partitions, count, datatype, source, tag, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Psend_init')
      call at_mpi_psend_init(c_loc(buf), partitions, count, datatype, dest, tag, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: partitions
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Psend_init')
      call at_pmpi_psend_init(c_loc(buf), partitions, count, datatype, dest, tag, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Put')
      call at_mpi_put(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine MPI_Put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Put_c')
      call at_mpi_put_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Put')
      call at_pmpi_put(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine PMPI_Put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Put_c')
      call at_pmpi_put_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
    end subroutine

    subroutine MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Raccumulate')
      call at_mpi_raccumulate(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine MPI_Raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Raccumulate_c')
      call at_mpi_raccumulate_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine PMPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Raccumulate')
      call at_pmpi_raccumulate(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine PMPI_Raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Raccumulate_c')
      call at_pmpi_raccumulate_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Recv_init')
      call at_mpi_recv_init(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Recv_init_c(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Recv_init_c')
      call at_mpi_recv_init_c(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Recv_init')
      call at_pmpi_recv_init(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Recv_init_c(buf, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Recv_init_c')
      call at_pmpi_recv_init_c(c_loc(buf), count, datatype, source, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_init')
      call odonata_check(recvbuf, 'MPI_Reduce_init')
      call at_mpi_reduce_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        info, request, ierror)
    end subroutine

    subroutine MPI_Reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_init_c')
      call odonata_check(recvbuf, 'MPI_Reduce_init_c')
      call at_mpi_reduce_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_init')
      call odonata_check(recvbuf, 'PMPI_Reduce_init')
      call at_pmpi_reduce_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_init_c')
      call odonata_check(recvbuf, 'PMPI_Reduce_init_c')
      call at_pmpi_reduce_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, root, comm, &
        info, request, ierror)
    end subroutine

    subroutine MPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_scatter_block_init')
      call odonata_check(recvbuf, 'MPI_Reduce_scatter_block_init')
      call at_mpi_reduce_scatter_block_init(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, &
        op, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_scatter_block_init_c')
      call odonata_check(recvbuf, 'MPI_Reduce_scatter_block_init_c')
      call at_mpi_reduce_scatter_block_init_c(c_loc(sendbuf), c_loc(recvbuf), recvcount, &
        datatype, op, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_scatter_block_init')
      call odonata_check(recvbuf, 'PMPI_Reduce_scatter_block_init')
      call at_pmpi_reduce_scatter_block_init(c_loc(sendbuf), c_loc(recvbuf), recvcount, datatype, &
        op, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_scatter_block_init_c')
      call odonata_check(recvbuf, 'PMPI_Reduce_scatter_block_init_c')
      call at_pmpi_reduce_scatter_block_init_c(c_loc(sendbuf), c_loc(recvbuf), recvcount, &
        datatype, op, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_scatter_init')
      call odonata_check(recvbuf, 'MPI_Reduce_scatter_init')
      call at_mpi_reduce_scatter_init(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, info, request, ierror)
    end subroutine

    subroutine MPI_Reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Reduce_scatter_init_c')
      call odonata_check(recvbuf, 'MPI_Reduce_scatter_init_c')
      call at_mpi_reduce_scatter_init_c(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_scatter_init')
      call odonata_check(recvbuf, 'PMPI_Reduce_scatter_init')
      call at_pmpi_reduce_scatter_init(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, op, &
        comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Reduce_scatter_init_c')
      call odonata_check(recvbuf, 'PMPI_Reduce_scatter_init_c')
      call at_pmpi_reduce_scatter_init_c(c_loc(sendbuf), c_loc(recvbuf), recvcounts, datatype, &
        op, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rget')
      call at_mpi_rget(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine MPI_Rget_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rget_c')
      call at_mpi_rget_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rget')
      call at_pmpi_rget(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine PMPI_Rget_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rget_c')
      call at_pmpi_rget_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rget_accumulate')
      call odonata_check(result_addr, 'MPI_Rget_accumulate')
      call at_mpi_rget_accumulate(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine MPI_Rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rget_accumulate_c')
      call odonata_check(result_addr, 'MPI_Rget_accumulate_c')
      call at_mpi_rget_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine PMPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer, intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rget_accumulate')
      call odonata_check(result_addr, 'PMPI_Rget_accumulate')
      call at_pmpi_rget_accumulate(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine PMPI_Rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      type(*), dimension(..), target :: result_addr
      integer(MPI_COUNT_KIND), intent(in) :: result_count
      type(MPI_Datatype), intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rget_accumulate_c')
      call odonata_check(result_addr, 'PMPI_Rget_accumulate_c')
      call at_pmpi_rget_accumulate_c(c_loc(origin_addr), origin_count, origin_datatype, &
        c_loc(result_addr), result_count, result_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
    end subroutine

    subroutine MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rput')
      call at_mpi_rput(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine MPI_Rput_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'MPI_Rput_c')
      call at_mpi_rput_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine PMPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer, intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rput')
      call at_pmpi_rput(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine PMPI_Rput_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      type(*), dimension(..), target :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count
      type(MPI_Datatype), intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer(MPI_COUNT_KIND), intent(in) :: target_count
      type(MPI_Datatype), intent(in) :: target_datatype
      type(MPI_Win), intent(in) :: win
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(origin_addr, 'PMPI_Rput_c')
      call at_pmpi_rput_c(c_loc(origin_addr), origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
    end subroutine

    subroutine MPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Rsend_init')
      call at_mpi_rsend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Rsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Rsend_init_c')
      call at_mpi_rsend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Rsend_init')
      call at_pmpi_rsend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Rsend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Rsend_init_c')
      call at_pmpi_rsend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scan_init')
      call odonata_check(recvbuf, 'MPI_Scan_init')
      call at_mpi_scan_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scan_init_c')
      call odonata_check(recvbuf, 'MPI_Scan_init_c')
      call at_mpi_scan_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scan_init')
      call odonata_check(recvbuf, 'PMPI_Scan_init')
      call at_pmpi_scan_init(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine PMPI_Scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      type(*), dimension(..), target :: sendbuf
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scan_init_c')
      call odonata_check(recvbuf, 'PMPI_Scan_init_c')
      call at_pmpi_scan_init_c(c_loc(sendbuf), c_loc(recvbuf), count, datatype, op, comm, info, &
        request, ierror)
    end subroutine

    subroutine MPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scatter_init')
      call odonata_check(recvbuf, 'MPI_Scatter_init')
      call at_mpi_scatter_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scatter_init_c')
      call odonata_check(recvbuf, 'MPI_Scatter_init_c')
      call at_mpi_scatter_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scatter_init')
      call odonata_check(recvbuf, 'PMPI_Scatter_init')
      call at_pmpi_scatter_init(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scatter_init_c')
      call odonata_check(recvbuf, 'PMPI_Scatter_init_c')
      call at_pmpi_scatter_init_c(c_loc(sendbuf), sendcount, sendtype, c_loc(recvbuf), recvcount, &
        recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scatterv_init')
      call odonata_check(recvbuf, 'MPI_Scatterv_init')
      call at_mpi_scatterv_init(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'MPI_Scatterv_init_c')
      call odonata_check(recvbuf, 'MPI_Scatterv_init_c')
      call at_mpi_scatterv_init_c(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer :: sendcounts(*)
      integer :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scatterv_init')
      call odonata_check(recvbuf, 'PMPI_Scatterv_init')
      call at_pmpi_scatterv_init(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine PMPI_Scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      type(*), dimension(..), target :: sendbuf
      integer(MPI_COUNT_KIND) :: sendcounts(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype
      type(*), dimension(..), target :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: recvtype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(sendbuf, 'PMPI_Scatterv_init_c')
      call odonata_check(recvbuf, 'PMPI_Scatterv_init_c')
      call at_pmpi_scatterv_init_c(c_loc(sendbuf), sendcounts, displs, sendtype, c_loc(recvbuf), &
        recvcount, recvtype, root, comm, info, request, ierror)
    end subroutine

    subroutine MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Send_init')
      call at_mpi_send_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Send_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Send_init_c')
      call at_mpi_send_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Send_init')
      call at_pmpi_send_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Send_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Send_init_c')
      call at_pmpi_send_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Session_attach_buffer(session, buffer, size, ierror)
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Session_attach_buffer')
      call at_mpi_session_attach_buffer(session, c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Session_attach_buffer_c(session, buffer, size, ierror)
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'MPI_Session_attach_buffer_c')
      call at_mpi_session_attach_buffer_c(session, c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Session_attach_buffer(session, buffer, size, ierror)
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), target :: buffer
      integer, intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Session_attach_buffer')
      call at_pmpi_session_attach_buffer(session, c_loc(buffer), size, ierror)
    end subroutine

    subroutine PMPI_Session_attach_buffer_c(session, buffer, size, ierror)
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), target :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(buffer, 'PMPI_Session_attach_buffer_c')
      call at_pmpi_session_attach_buffer_c(session, c_loc(buffer), size, ierror)
    end subroutine

    subroutine MPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Ssend_init')
      call at_mpi_ssend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Ssend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'MPI_Ssend_init_c')
      call at_mpi_ssend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Ssend_init')
      call at_pmpi_ssend_init(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine PMPI_Ssend_init_c(buf, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), target :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request) :: request
      integer, optional :: ierror
      call odonata_check(buf, 'PMPI_Ssend_init_c')
      call at_pmpi_ssend_init_c(c_loc(buf), count, datatype, dest, tag, comm, request, ierror)
    end subroutine

    subroutine MPI_Win_attach(win, base, size, ierror)
      type(MPI_Win), intent(in) :: win
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(base, 'MPI_Win_attach')
      call at_mpi_win_attach(win, c_loc(base), size, ierror)
    end subroutine

    subroutine PMPI_Win_attach(win, base, size, ierror)
      type(MPI_Win), intent(in) :: win
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, optional :: ierror
      call odonata_check(base, 'PMPI_Win_attach')
      call at_pmpi_win_attach(win, c_loc(base), size, ierror)
    end subroutine

    subroutine MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
      call odonata_check(base, 'MPI_Win_create')
      call at_mpi_win_create(c_loc(base), size, disp_unit, info, comm, win, ierror)
    end subroutine

    subroutine MPI_Win_create_c(base, size, disp_unit, info, comm, win, ierror)
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
      call odonata_check(base, 'MPI_Win_create_c')
      call at_mpi_win_create_c(c_loc(base), size, disp_unit, info, comm, win, ierror)
    end subroutine

    subroutine PMPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
      call odonata_check(base, 'PMPI_Win_create')
      call at_pmpi_win_create(c_loc(base), size, disp_unit, info, comm, win, ierror)
    end subroutine

    subroutine PMPI_Win_create_c(base, size, disp_unit, info, comm, win, ierror)
      type(*), dimension(..), target :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer(MPI_ADDRESS_KIND), intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win) :: win
      integer, optional :: ierror
      call odonata_check(base, 'PMPI_Win_create_c')
      call at_pmpi_win_create_c(c_loc(base), size, disp_unit, info, comm, win, ierror)
    end subroutine
end module mpi_f08
