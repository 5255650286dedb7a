! With `use mpi_f08`: handles have types, and error codes may be left out.
module reductions
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
contains
  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 2)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine
end module

program f08
  use reductions
  implicit none
  integer :: me, np, next, before, got, index, found(2), length
  integer(MPI_COUNT_KIND) :: many, counted
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Comm) :: comm
  type(MPI_Op) :: op
  type(MPI_Info) :: info
  character(len=8) :: value
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, np)
  next = mod(me + 1, np)
  before = mod(me + np - 1, np)

  call MPI_Irecv(got, 1, MPI_INTEGER, before, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(me, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call check(got == before .and. statuses(1)%MPI_SOURCE == before .and. statuses(1)%MPI_TAG == 3, 1)
  call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 2)
  call MPI_Waitany(count=2, array_of_requests=requests, index=index, status=MPI_STATUS_IGNORE)
  call check(index == MPI_UNDEFINED, 3)

  ! The same name with counts of 64 bits.
  many = 1
  call MPI_Sendrecv(me, many, MPI_INTEGER, next, 4, got, many, MPI_INTEGER, before, 4, &
                    MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, counted)
  call check(got == before .and. counted == 1, 4)

  call MPI_Op_create(larger, .true., op)
  found = [me, -me]
  call MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INTEGER, op, MPI_COMM_WORLD)
  call check(found(1) == np - 1 .and. found(2) == 0, 5)
  call MPI_Op_free(op)
  call check(op == MPI_OP_NULL, 6)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, comm)
  call MPI_Comm_size(comm, length)
  call check(length == (np + 1 - mod(me, 2)) / 2 .and. comm /= MPI_COMM_WORLD, 7)
  call MPI_Comm_free(comm)

  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'a value')
  call MPI_Info_get(info, 'key ', 8, value, flag)
  call check(flag .and. value == 'a value', 8)
  call MPI_Info_free(info)

  call MPI_Barrier(MPI_COMM_WORLD)
  if (me == 0) print '(a,i0,a)', 'f08: ', np, ' ranks: good'
  call MPI_Finalize()

contains

  subroutine check(good, where)
    logical, intent(in) :: good
    integer, intent(in) :: where
    if (good) return
    print *, 'f08: not so: ', where
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
